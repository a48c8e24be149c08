import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { GenerationReceipt } from "#contract/transparency-log.ts";
import { verifyScript } from "#server/http/verify-page.ts";
import { directoryOfFile } from "#test/directories.ts";
import type { NotValid as NotValidError, verifyFile as verify } from "../../scripts/verify.mjs";
import { Buffer as Bytes, createHash as browserHash } from "../../scripts/verify-page/browser.mjs";
import stored from "./receipts.json" with { type: "json" };

interface Program {
  readonly verifyFile: typeof verify;
  readonly NotValid: typeof NotValidError;
  withSignatures<T>(call: () => T): Promise<T>;
}

/** The program of the page without its form. Only Node has a `process`, for which it asks here. */
const [withoutForm = ""] = verifyScript().split("// The form of the page");
const path = join(directoryOfFile(), "page.mjs");
writeFileSync(path, `const pathToFileURL = () => ({});\n${withoutForm}`);
const program: Program = await import(/* @vite-ignore */ pathToFileURL(path).href);

const vectors = z
  .array(
    z.strictObject({ holds: z.boolean(), key: z.string(), receipt: GenerationReceipt.omit({ today: true }) }),
  )
  .parse(stored);

const verified = (receipt: object, key: string) =>
  program.withSignatures(() => program.verifyFile(receipt, { keys: [key] }));

test("the page to verify proofs imports nothing", () => {
  expect(verifyScript()).not.toMatch(/^\s*import[\s(]|\bimport\(|https?:\/\/(?!c2sp)/m);
});

test.each(vectors)(
  "the page says of receipt %# what verify.mjs says: $holds",
  async ({ holds, receipt, key }) => {
    if (holds)
      expect((await verified(receipt, key))[0]).toMatch(/^Proven: this request is entry \d+ of the log /);
    else await expect(verified(receipt, key)).rejects.toBeInstanceOf(program.NotValid);
  },
);

test("hashes and bytes of the page are those of Node", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.string({ unit: "binary" }), (bytes, text) => {
      const digest = browserHash().update(Bytes.from(bytes)).digest();
      expect(digest.toString("hex")).toBe(createHash("sha256").update(bytes).digest("hex"));
      expect(Bytes.from(bytes).toString("base64")).toBe(Buffer.from(bytes).toString("base64"));
      expect([...Bytes.from(text.toWellFormed())]).toEqual([...Buffer.from(text.toWellFormed())]);
      const hex = Buffer.from(bytes).toString("hex");
      expect([...Bytes.from(hex, "hex")]).toEqual([...bytes]);
      expect([...Bytes.from(`${hex}0x`, "hex")]).toEqual([...Buffer.from(`${hex}0x`, "hex")]);
    }),
  );
});
