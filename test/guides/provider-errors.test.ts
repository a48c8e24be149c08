import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ErrorCode, errorTable } from "#contract/errors.ts";
import { recordedErrors } from "#test/provider-errors.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/provider-errors.md"), "utf8");
const next = { endpoint: "yes", model: "of the next model", never: "no" } as const;

/** The cells of the rows of the page's table. */
const documented = page
  .split("\n")
  .filter((line) => /^\| (?!Provider |-)/.test(line))
  .map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );

test("the page lists what every recorded error of a provider becomes, and nothing else", () => {
  const recorded = recordedErrors.map(({ provider, what, status, becomes }) => {
    const [of, error] = provider === "others" ? what.split(": ") : [provider, what];
    const { code, param } = becomes;
    const { status: answered } = errorTable[code as ErrorCode];
    const named = param === undefined ? "" : `, \`param: ${param}\``;
    return [
      of ?? "",
      error ?? what,
      String(status),
      `\`${becomes.outcome}\``,
      next[becomes.retry],
      `${answered} \`${code}\`${named}`,
    ];
  });
  expect(documented).toEqual(recorded);
});
