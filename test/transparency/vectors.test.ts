import { describe, expect, test } from "vitest";
import { z } from "zod";
import { leafHash } from "#server/transparency/tree.ts";
import {
  NotValid,
  readProof,
  readPublicKey,
  verifyCheckpoint,
  verifyConsistency,
  verifyInclusion,
} from "../../scripts/verify.mjs";
import stored from "./vectors.json" with { type: "json" };

const Inclusion = z.strictObject({
  holds: z.boolean(),
  key: z.string(),
  entry: z.string(),
  proof: z.string(),
});
const Consistency = z.strictObject({
  holds: z.boolean(),
  key: z.string(),
  from: z.string(),
  to: z.string(),
  hashes: z.array(z.string()),
});
const vectors = z.array(z.union([Inclusion, Consistency])).parse(stored);

function verifyVector(vector: (typeof vectors)[number]): void {
  const keys = [readPublicKey(vector.key)];
  if ("entry" in vector) {
    const { index, path, checkpoint } = readProof(vector.proof);
    verifyInclusion(leafHash(Buffer.from(vector.entry)), index, path, verifyCheckpoint(checkpoint, keys));
  } else {
    const hashes = vector.hashes.map((hash) => Buffer.from(hash, "base64"));
    verifyConsistency(verifyCheckpoint(vector.from, keys), hashes, verifyCheckpoint(vector.to, keys));
  }
}

/** The verdicts are also those of Go's golang.org/x/mod/sumdb (docs/transparency-log.md). */
describe("our verifier and an independent one agree", () => {
  test.each(vectors.filter(({ holds }) => holds))("that proof %# holds", verifyVector);

  test.each(vectors.filter(({ holds }) => !holds))("that forged proof %# does not", (vector) => {
    expect(() => verifyVector(vector)).toThrow(NotValid);
  });

  test("on enough vectors of each sort", () => {
    const count = (holds: boolean) => vectors.filter((vector) => vector.holds === holds).length;
    expect([count(true), count(false)]).toEqual([50, 48]);
  });
});

/** The signed note of the documentation of golang.org/x/mod/sumdb/note. */
test("a key of Go's package is read, and one with another ID is refused", () => {
  const key = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
  expect(readPublicKey(key)).toMatchObject({ name: "PeterNeumann", id: "c74f20a3" });
  expect(() => readPublicKey(key.replace("c74f20a3", "c74f20a4"))).toThrow("not that of its bytes");
});
