import { type Document, isMap, isNode, isScalar, Lexer, LineCounter, parseDocument, visit } from "yaml";
import type { z } from "zod";
import { ConfigurationFile } from "#contract/configuration.ts";
import type { Values } from "#contract/configuration-form.ts";
import {
  type ConfigurationKind,
  configurationForms,
  configurationKinds,
} from "#contract/configuration-kinds.ts";
import { describeIssues, pathText } from "#server/platform/describe-issues.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";

export type Path = readonly (string | number)[];

export interface FileProblem {
  /** Where in the file; empty for the file itself. */
  readonly path: Path;
  readonly message: string;
}

/** The sections of a file, and where they are in its text. */
export interface ReadFile {
  readonly sections: Partial<Record<ConfigurationKind, readonly Values[]>>;
  /** A 400 that names path and line of each problem. */
  refusal(problems: readonly FileProblem[]): AppError;
}

const refused = (issues: readonly { path: string; line: number | null; message: string }[]): AppError => {
  const texts = issues.map(({ path, line, message }) => {
    const place = [path, line === null ? "" : `line ${line}`].filter(Boolean).join(", ");
    return `${place || "file"}: ${message}`;
  });
  const first = texts[0] ?? "file: is not valid";
  const others = texts.length > 1 ? ` (and ${texts.length - 1} more)` : "";
  return new AppError("BAD_REQUEST", `${first}${others}`, { param: "file", metadata: { issues } });
};

/** The line of a place in the file, or of the closest place around it that the file has. */
function lineOf(document: Document, lines: LineCounter, path: Path): number | null {
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return null;
}

/**
 * What cannot be a configuration, found by the lexer alone: the parser needs seconds for a file of 256 KiB that consists
 * of punctuation, and is recursive.
 */
function unreadable(text: string): string | null {
  const { depthMax, indentCharsMax, lexemesMax } = limits.configuration;
  let depth = 0;
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme === "[" || lexeme === "{") depth++;
    else if (lexeme === "]" || lexeme === "}") depth--;
    if (depth > depthMax) return "is nested too deeply";
    if (depth < 0) return "is not valid YAML: a bracket is closed that was not opened";
    if (++count > lexemesMax) return "has too many entries for one file; divide it into several files";
  }
  return new RegExp(`^[ \\t?:-]{${indentCharsMax},}`, "m").test(text) ? "is nested too deeply" : null;
}

const yamlOptions = {
  version: "1.2",
  schema: "core",
  merge: false,
  // The parser compares each key with each other one, which takes seconds for a file of many keys.
  uniqueKeys: false,
  resolveKnownTags: false,
  prettyErrors: false,
} as const;

/** The parser makes an Error of each problem. Tens of thousands of stack traces take longer than the parsing. */
function withoutStacks<Result>(run: () => Result): Result {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function parse(text: string): { document: Document.Parsed; lines: LineCounter } {
  const lines = new LineCounter();
  const reason = unreadable(text);
  if (reason !== null) throw refused([{ path: "", line: null, message: reason }]);
  const document = withoutStacks(() => parseDocument(text, { ...yamlOptions, lineCounter: lines }));
  const found = [...document.errors, ...document.warnings].map(({ message, pos }) => ({
    message,
    at: pos[0],
  }));
  const problems = found.length > 0 ? found : repeatedKeys(document);
  if (problems.length === 0) return { document, lines };
  throw refused(
    problems.slice(0, limits.configuration.problemsMax).map(({ message, at }) => ({
      path: "",
      line: lines.linePos(at).line,
      message: `is not valid YAML: ${message}`,
    })),
  );
}

function repeatedKeys(document: Document.Parsed): { message: string; at: number }[] {
  const found: { message: string; at: number }[] = [];
  visit(document, {
    Map(_, map) {
      const known = new Set<unknown>();
      for (const { key } of isMap(map) ? map.items : []) {
        const value = isScalar(key) ? String(key.value) : null;
        const at = isNode(key) ? (key.range?.[0] ?? 0) : 0;
        if (value === null) found.push({ message: "a key must be a text", at });
        else if (known.has(value)) found.push({ message: `the key ${value.slice(0, 64)} is repeated`, at });
        known.add(value);
      }
    },
  });
  return found;
}

function contentOf(document: Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: limits.configuration.aliasesMax });
  } catch (error) {
    // The only refusal of the library at this point: aliases that multiply, or that name no anchor.
    if (!(error instanceof ReferenceError)) throw error;
    throw refused([
      { path: "", line: null, message: "has more aliases than are allowed, or an unknown one" },
    ]);
  }
}

/** Reads a configuration file. Throws BAD_REQUEST that names the line and the place of each problem. */
export function readFile(text: string): ReadFile {
  const { document, lines } = parse(text);
  const refusal = (problems: readonly FileProblem[]) =>
    refused(
      problems.slice(0, limits.configuration.problemsMax).map(({ path, message }) => ({
        path: pathText(path),
        line: lineOf(document, lines, path),
        message,
      })),
    );
  const parsed = ConfigurationFile.safeParse(contentOf(document) ?? {});
  if (!parsed.success) throw refusal(problemsOf(parsed.error));
  const sections = Object.fromEntries(
    configurationKinds.flatMap((kind) => {
      const section = parsed.data[kind];
      return section ? [[kind, section]] : [];
    }),
  );
  return { sections, refusal };
}

/** The fields that are valid in the object of a path, as far as the message can list them. */
function validAt(path: Path): string {
  const kind = configurationKinds.find((name) => name === path[0]);
  const fields =
    path.length === 0
      ? ["version", ...configurationKinds]
      : kind && path.length === 2
        ? configurationForms[kind].fields
        : [];
  return fields.length > 0 ? `; valid are ${fields.join(", ")}` : "";
}

/** Zod's issues as problems. An unknown field is named itself, with what is valid there. */
function problemsOf(error: z.ZodError): FileProblem[] {
  const problems = error.issues.flatMap((issue) => {
    const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: `is not a known field${validAt(path)}`,
      }));
    return describeIssues([issue]).map((described) => ({
      path: described.path === pathText(path) ? path : described.path.split("."),
      message: described.message,
    }));
  });
  // The rules between fields are checked with all others, which are reported already.
  const byText = new Map(
    problems.map((problem) => [`${pathText(problem.path)} ${problem.message}`, problem]),
  );
  return [...byText.values()];
}
