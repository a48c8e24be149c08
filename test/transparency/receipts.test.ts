import { describe, expect, test } from "vitest";
import { z } from "zod";
import { GenerationReceipt } from "#contract/transparency-log.ts";
import { NotValid, readPublicKey, verifyReceipt } from "../../scripts/verify.mjs";
import stored from "./receipts.json" with { type: "json" };

const vectors = z
  .array(
    z.strictObject({ holds: z.boolean(), key: z.string(), receipt: GenerationReceipt.omit({ today: true }) }),
  )
  .parse(stored);

/** The verdicts are also those of a verifier in Go that shares no code with ours (docs/transparency-log.md). */
describe("our verifier and an independent one agree about receipts", () => {
  test.each(vectors.filter(({ holds }) => holds))("that receipt %# holds", ({ key, receipt }) => {
    expect(verifyReceipt(receipt, [readPublicKey(key)]).index).toBeGreaterThanOrEqual(0);
  });

  test.each(vectors.filter(({ holds }) => !holds))("that forged receipt %# does not", ({ key, receipt }) => {
    expect(() => verifyReceipt(receipt, [readPublicKey(key)])).toThrow(NotValid);
  });

  test("on enough of each sort", () => {
    const count = (holds: boolean) => vectors.filter((vector) => vector.holds === holds).length;
    expect([count(true), count(false)]).toEqual([12, 25]);
  });
});
