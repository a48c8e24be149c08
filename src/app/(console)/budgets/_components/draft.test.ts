import { describe, expect, test } from "vitest";
import { Budget, BudgetCreate } from "#contract/budget.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { changeOf, createOf, draftOf, newDraft, withDimension, withMeasure } from "./draft.ts";

describe("the draft of a budget", () => {
  test("of parallel requests has no period, and any other measure has one", () => {
    const parallel = withMeasure({ ...newDraft, period: "day" }, "concurrency");
    expect(parallel.period).toBe("none");
    expect(withMeasure(parallel, "tokens").period).toBe("month");
    expect(withMeasure({ ...newDraft, period: "day" }, "tokens").period).toBe("day");
  });

  test("has each dimension once, in the order of the API, and loses one that is any again", () => {
    let draft = withDimension(newDraft, "end_user", null);
    draft = withDimension(draft, "model", "a/b");
    draft = withDimension(draft, "model", "c/d");
    expect(draft.dimensions).toEqual([
      { dimension: "model", value: "c/d" },
      { dimension: "end_user", value: null },
    ]);
    expect(withDimension(draft, "metadata.team", "x").dimensions[1]?.dimension).toBe("metadata.team");
    expect(withDimension(draft, "model", undefined).dimensions).toEqual([
      { dimension: "end_user", value: null },
    ]);
  });

  test.each(["", " ", "ten", "1,5"])("with the limit %j is not accepted", (limit) => {
    const parsed = BudgetCreate.safeParse(createOf({ ...newDraft, name: "x", limit }));
    expect(parsed.error?.issues[0]?.path).toEqual(["limit"]);
  });

  test("of a stored budget changes the name and the limit only", () => {
    const saved = { ...sampleOf(Budget), name: "Ours", limit: 20, dimensions: [] };
    expect(changeOf({ ...draftOf(saved), limit: "25" })).toEqual({ name: "Ours", limit: 25 });
  });
});
