import { expect, test } from "vitest";
import { z } from "zod";
import { createLog } from "#server/platform/log.ts";
import { createRowReport, readColumns, readRow, readRows } from "./stored-row.ts";

const Limit = z.strictObject({ limit: z.number().max(10, "must be at most 10") });

test("a row that cannot be read is left out or replaced, with the reason, and the others are read", () => {
  const reported: string[][] = [];
  const rows = [
    { id: "a", body: { limit: 1 } },
    { id: "b", body: { limit: 11, more: true } },
    { id: "c", body: { limit: 3 } },
  ];
  const reading = {
    table: "limit",
    report: (...report: string[]) => reported.push(report),
    read: ({ body }: { body: object }) => Limit.parse(body).limit,
  };
  expect(readRows(rows, reading)).toEqual([1, 3]);
  expect(readRows(rows, { ...reading, instead: () => 0 })).toEqual([1, 0, 3]);
  const problem = "limit: must be at most 10; more: is not a known field";
  expect(reported).toEqual(Array.from({ length: 2 }, () => ["limit", "b", expect.stringContaining(problem)]));
});

test("a value that is null can be read", () => {
  expect(readRow(() => null)).toEqual({ value: null, problem: null });
});

test("each problem of a row is logged once", () => {
  const lines: string[] = [];
  const report = createRowReport(createLog("error", (line) => lines.push(line)));
  for (const problem of ["too long", "too long", "too short"]) report("rule", "1", problem);
  expect(lines).toEqual([
    expect.stringContaining("rule 1: too long"),
    expect.stringContaining("rule 1: too short"),
  ]);
});

test("a column that cannot be read has its stand-in, the others their value, and the problem names each", () => {
  const read = (row: object) =>
    readColumns(
      { measure: "usd", limits: [{ limit: 3 }], name: "n", ...row },
      {
        measure: [z.enum(["eur", "usd"], "must be eur or usd"), "eur"],
        limits: [z.array(Limit), []],
        name: [z.string(), ""],
      },
    );
  expect(read({})).toEqual({ measure: "usd", limits: [{ limit: 3 }], name: "n", problem: null });
  expect(read({ measure: "carbon", limits: [{ limit: 11 }] })).toEqual({
    measure: "eur",
    limits: [],
    name: "n",
    problem: "measure: must be eur or usd (stored: carbon); limits.0.limit: must be at most 10",
  });
});
