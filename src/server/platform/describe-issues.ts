import type { z } from "zod";
import { maskSecrets } from "./mask-secrets.ts";

type Issue = z.core.$ZodIssue;

/** What zod says of a value that is no alternative of a union which has no text of its own. */
const untold = "Invalid input";
/** The parts of zod's own texts that say what would be right, and what was there instead. */
const zodText = /^Invalid .*expected (.+?)(?:, received (\w+))?$/;
const nameCharsMax = 64;
/** Nobody corrects more at a time, and of a long body there may be a million. */
const issuesMax = 20;
const messageCharsMax = 500;
const pathPartsMax = 64;

const wanted = ({ message }: Issue): string => zodText.exec(message)?.[1] ?? message;
const found = ({ message }: Issue): string | undefined => zodText.exec(message)?.[2];

/** Whether the value is of the kind an alternative takes, and wrong only further in or in its size. */
const isMeant = (alternative: readonly Issue[]): boolean =>
  !alternative.some(
    ({ code, path }) => path.length === 0 && (code === "invalid_type" || code === "invalid_value"),
  );

/** Of a union, what is wrong in the alternative the value was meant for; else all that would be right. */
function resolve(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union" || issue.message !== untold || issue.errors.length === 0) return [issue];
  const meant = issue.errors.find(isMeant);
  if (meant)
    return meant
      .slice(0, issuesMax)
      .flatMap((inner) => resolve({ ...inner, path: [...issue.path, ...inner.path] }));
  const tops = issue.errors.flatMap((issues) => issues.filter(({ path }) => path.length === 0));
  const expected = [...new Set(tops.map(wanted))].join(" or ");
  const received = tops.map(found).find((kind) => kind !== undefined);
  return [
    { ...issue, message: `Invalid input: expected ${expected}${received ? `, received ${received}` : ""}` },
  ];
}

const cut = (text: string, charsMax: number): string =>
  text.length > charsMax ? `${text.slice(0, charsMax).toWellFormed()}…` : text;

function messageOf(issue: Issue): string {
  if (issue.code === "unrecognized_keys" && issue.message.startsWith("Unrecognized"))
    return "is not a known field";
  if (issue.code === "invalid_key") return issue.issues[0]?.message ?? issue.message;
  return issue.path.length > 0 && found(issue) === "undefined"
    ? `is required: ${wanted(issue)}`
    : issue.message;
}

/** A path as messages name it: `messages.0.content`. Long names are cut, so that none looks like a key any more. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path
    .slice(0, pathPartsMax)
    .map((part) => cut(maskSecrets(String(part)), nameCharsMax))
    .join(".");

/** Where an issue stands and what would be right there; an unknown key is named itself, not its parent. */
const describe = (issue: Issue): { path: string; message: string } => {
  const unknownKey = issue.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  return {
    path: pathText([...issue.path, ...unknownKey]),
    message: cut(messageOf(issue), messageCharsMax),
  };
};

/** The reported issues of a value that does not match its schema: the first 20. */
export const describeIssues = (issues: readonly Issue[]): { path: string; message: string }[] =>
  issues.slice(0, issuesMax).flatMap(resolve).slice(0, issuesMax).map(describe);
