import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { GenerationReceipt } from "#contract/transparency-log.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { authorize } from "#server/access/authorize.ts";
import { readReceipt } from "#server/transparency/index.ts";
import { NotValid, readPublicKey, verifyReceipt } from "../../scripts/verify.mjs";
import { startTestServer } from "./server.ts";

const { post, key, services } = await startTestServer();
const { database, signer, sequencer } = services.transparency;

/** The receipt of a request that two providers received. */
async function receiptOf(user: string): Promise<GenerationReceipt> {
  const only = ["sandbox-fr", "sandbox-de"];
  const answer = await post("/completions", {
    ...{ model: "sandbox/chat", prompt: "Say hello", user, provider: { only, sort: "price" } },
  });
  expect(answer.status).toBe(200);
  await services.billing.drain();
  await sequencer.run();
  const caller = services.authenticate({ authorization: `Bearer ${key}` });
  if (!caller) throw new Error("The key is not known");
  const reader: Authorized<"activity:read"> = authorize(caller, "activity:read", "workspace");
  return readReceipt({ database, signer }, reader, answer.headers.get("x-generation-id") ?? "");
}

const [receipt, other] = [await receiptOf("ada"), await receiptOf("eve")];
const keys = receipt.public_keys.map((text) => readPublicKey(text));

type Forgery = (genuine: GenerationReceipt) => GenerationReceipt;
const inRecord = (change: (record: Record<string, unknown>) => object): Forgery => {
  const record = JSON.stringify(change(JSON.parse(receipt.record) as Record<string, unknown>));
  return (genuine) => ({ ...genuine, record });
};
const set = (columns: object): Forgery => inRecord((record) => ({ ...record, ...columns }));

const forgeries: Readonly<Record<string, Forgery>> = {
  "another provider": set({ provider: "sandbox-us", endpoint: "sandbox-us:sandbox/chat" }),
  "another region": set({ region: "US" }),
  "another model": set({ model: "sandbox/other" }),
  "another time": set({ started_at: "2026-01-01T00:00:00.000Z" }),
  "another price": set({ cost_pico_eur: "1" }),
  "another key": set({ api_key_id: other.record.slice(0, 36) }),
  "another status": set({ status: "failed" }),
  "more tokens": set({ completion_tokens: 1_000_000 }),
  "an attempt that did not happen": set({ attempts: [] }),
  "other parameters": set({ parameters: { zdr: true } }),
  "a digest of another answer": set({ answer_digest: `\\x${"0".repeat(64)}` }),
  "a destination that got nothing": set({ destinations: [{ content: "sent", id: "x", residency: null }] }),
  "a column less": inRecord(({ error_code: _, ...record }) => record),
  "a column more": set({ zzz: true }),
  "its columns in another order": inRecord((record) =>
    Object.fromEntries(Object.entries(record).toReversed()),
  ),
  "a space in it": (genuine) => ({ ...genuine, record: genuine.record.replace(",", ", ") }),
  "the record of another request": (genuine) => ({ ...genuine, record: other.record }),
  "the proof of another request": (genuine) => ({ ...genuine, proof: other.proof }),
  "another end user": (genuine) => ({
    ...genuine,
    personal: genuine.personal && { ...genuine.personal, text: genuine.personal.text.replace("ada", "eve") },
  }),
  "other random bytes": (genuine) => ({
    ...genuine,
    personal: genuine.personal && { ...genuine.personal, salt: "00".repeat(12) },
  }),
  "the end user of another request": ({ personal: _, personal_hash: __, ...genuine }) => ({
    ...genuine,
    personal: other.personal,
    personal_hash: other.personal_hash,
  }),
  "no end user": (genuine) => ({ ...genuine, personal: null, personal_hash: "" }),
  "another decision": (genuine) => ({
    ...genuine,
    decision: genuine.decision?.replace('"models":[', '"models":[{},') ?? null,
  }),
  "the facts of another provider": (genuine) => ({
    ...genuine,
    facts: genuine.facts.map((text) => text.replace("FR", "DE").replace("sandbox-de", "sandbox-fr")),
  }),
  "facts that were not known then": (genuine) => ({
    ...genuine,
    facts: [...genuine.facts, '{"endpoint":"x"}'],
  }),
  "facts without a decision": (genuine) => ({ ...genuine, decision: null }),
  "no organisation": inRecord((record) => ({ ...record, org_id: undefined })),
  "another ID": set({ id: "00000000-0000-7000-8000-000000000000" }),
  "an ID that is none": set({ id: "none" }),
};

describe("a receipt", () => {
  test("verifies as it is, and without what it says of a person", () => {
    expect(verifyReceipt(receipt, keys).fields).toMatchObject({
      user_reference: "ada",
      provider: expect.stringMatching(/^sandbox-/),
    });
    expect(verifyReceipt({ ...receipt, personal: null }, keys).fields.user_reference).toBeUndefined();
  });

  test.each(Object.entries(forgeries))("with %s is refused", (_, forge) => {
    const forged = forge(receipt);
    expect(forged).not.toEqual(receipt);
    expect(() => verifyReceipt(forged, keys)).toThrow(NotValid);
  });

  test("is refused with anything else in one of its fields, with a reason", () => {
    // The proof does not cover what is known today, and the verifier does not show it.
    const uncovered = ["public_keys", "type", "today"];
    const names = Object.keys(receipt).filter((name) => !uncovered.includes(name));
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.anything(), (name, value) => {
        // What is said of a person, and the facts, may be left out: then the verifier does not state them.
        const isLeftOut = name === "personal" ? !value : Array.isArray(value) && value.length === 0;
        fc.pre(value !== undefined && !isLeftOut);
        expect(() => verifyReceipt({ ...receipt, [name]: value }, keys)).toThrow(NotValid);
      }),
      {
        examples: [
          ["facts", 1],
          ["record", [receipt.record]],
          ["decision", "null"],
        ],
      },
    );
  });

  test("is refused with any one character of its record changed", () => {
    for (let at = 0; at < receipt.record.length; at++) {
      const changed = receipt.record[at] === "0" ? "1" : "0";
      const record = receipt.record.slice(0, at) + changed + receipt.record.slice(at + 1);
      expect(() => verifyReceipt({ ...receipt, record }, keys)).toThrow(NotValid);
    }
  });
});
