import { createHash, randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { der, derValues, NotDer } from "#server/transparency/der.ts";
import { readTimestamp, timestampRequest } from "#server/transparency/timestamp.ts";
import { directoryOfFile } from "#test/directories.ts";
import { answerOf, hasOpenssl, makeAuthority } from "./authority.ts";

const stampedOf = (text: string) => ({
  hash: createHash("sha256").update(text).digest(),
  nonce: Buffer.concat([Buffer.of(0x41), randomBytes(7)]),
});

test("DER is read as it was written, and anything else is refused without an error of another kind", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 4 }), (contents) => {
      const bytes = Buffer.concat(contents.map((content) => der(0x04, content)));
      expect(derValues(bytes).map(({ content }) => Buffer.from(content))).toEqual(
        contents.map((content) => Buffer.from(content)),
      );
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const read = () => readTimestamp(Buffer.from(bytes), stampedOf("x"));
      expect(read).toThrow(NotDer);
    }),
  );
});

const algorithms = [
  ["RSA", ["-newkey", "rsa:2048"]],
  ["ECDSA", ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]],
] as const;

describe.skipIf(!hasOpenssl()).each(algorithms)("a timestamp of an authority with %s", (name, algorithm) => {
  const directory = join(directoryOfFile(), name);
  const stamped = stampedOf("a checkpoint");
  let answer: Buffer = Buffer.alloc(0);
  beforeAll(async () => {
    mkdirSync(directory);
    await makeAuthority(directory, algorithm);
    answer = await answerOf(directory, timestampRequest(stamped));
  });

  test("is read with its time", () => {
    expect(Math.abs(readTimestamp(answer, stamped) - Date.now())).toBeLessThan(120_000);
  });

  test("is refused for another hash, and as an answer to another request", () => {
    const { hash } = stampedOf("another checkpoint");
    expect(() => readTimestamp(answer, { ...stamped, hash })).toThrow("another hash");
    expect(() => readTimestamp(answer, { ...stamped, nonce: Buffer.alloc(8, 1) })).toThrow("another request");
  });

  test("is refused with any byte of what was signed or of the signature changed", () => {
    const { hash } = stamped;
    // The signature is at the end, the content from the hash on.
    const places = [
      ...Array.from({ length: 40 }, (_, at) => answer.indexOf(hash) + at),
      ...Array.from({ length: 60 }, (_, at) => answer.length - 1 - at),
    ];
    for (const place of places) {
      const changed = Buffer.from(answer);
      changed[place] = (changed[place] ?? 0) ^ 1;
      expect(() => readTimestamp(changed, stamped), `byte ${place}`).toThrow(NotDer);
    }
  });

  test("is refused if it is cut off anywhere", () => {
    for (let length = 0; length < answer.length; length += 7)
      expect(() => readTimestamp(answer.subarray(0, length), stamped)).toThrow(NotDer);
  });
});
