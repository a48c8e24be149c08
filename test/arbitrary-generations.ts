import fc from "fast-check";
import type { GenerationRow } from "#server/db/index.ts";
import { generationRow, type TestOrganisation } from "./factories.ts";

const text = fc.string({ unit: "grapheme", maxLength: 20 }).filter((value) => !value.includes("\u0000"));
const name = fc.constantFrom("a", "b", "10", "9", "Z", "é", "provider", "max_tokens");
const parameter = fc.oneof(
  text,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.array(text, { maxLength: 3 }),
  fc.dictionary(name, fc.oneof(text, fc.integer(), fc.dictionary(name, text, { maxKeys: 3 })), {
    maxKeys: 4,
  }),
);
const tokens = fc.nat({ max: 2_000_000_000 });
const pico = fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String);
const attempt = fc.record(
  {
    endpoint: text,
    provider: text,
    outcome: fc.constantFrom("ok", "timeout", "upstream_error"),
    status: fc.option(fc.integer({ min: 100, max: 599 })),
    duration_ms: tokens,
    service_tier: text,
    parameters: fc.record({
      dropped: fc.array(text, { maxLength: 2 }),
      translated: fc.array(fc.record({ to: text, from: text }), { maxLength: 2 }),
      clamped: fc.array(text, { maxLength: 2 }),
    }),
  },
  { requiredKeys: ["endpoint", "provider", "outcome", "status", "duration_ms"] },
);
const hexadecimal = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((some) => Buffer.from(some).toString("hex"));

const recipient = fc
  .tuple(fc.boolean(), fc.constantFrom("sent", "none"), fc.uuid(), fc.option(fc.constantFrom("EU", "DE")))
  .map(([certain, content, id, residency]) =>
    certain ? { content, id, residency } : { certain: false as const, content, id, residency },
  );
const bytea = (digits: string) => `\\x${digits}`;

const columns = fc.record({
  model_requested: text,
  model: fc.option(text),
  provider: fc.option(text),
  endpoint: fc.option(text),
  native_finish_reason: fc.option(text),
  attempts: fc.option(fc.array(attempt, { maxLength: 3 })),
  attempt_ms: fc.option(tokens),
  ranked: fc.option(fc.array(fc.array(fc.nat({ max: 20 }), { maxLength: 4 }), { maxLength: 3 })),
  parameters: fc.dictionary(name, parameter, { maxKeys: 5 }),
  input_modalities: fc.subarray(["text", "image", "audio"]),
  output_modalities: fc.subarray(["text", "image", "audio"]),
  prompt_tokens: tokens,
  completion_tokens: tokens,
  streamed: fc.boolean(),
  usage_estimated: fc.boolean(),
  usage_implausible: fc.boolean(),
  cost_pico_usd: pico,
  upstream_pico_usd: pico,
  cost_parts: fc.option(text),
  fx_usd_per_eur: fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.nat({ max: 999_999 }))
    .map(([units, rest]) => `${units}.${String(rest).padStart(6, "0")}`),
  started_at: fc
    .date({ min: new Date("2026-01-01"), max: new Date("2026-12-31"), noInvalidDate: true })
    .map((at) => at.toISOString()),
  latency_ms: fc.option(tokens),
  duration_ms: tokens,
  request_digest: fc.option(hexadecimal(32).map(bytea), { nil: undefined }),
  destinations: fc.option(fc.array(recipient, { minLength: 1, maxLength: 3 }), { nil: undefined }),
  answer_digest: fc.option(hexadecimal(32).map(bytea), { nil: undefined }),
});

const personal = fc
  .record({
    app_title: fc.option(text),
    session_id: fc.option(text),
    user_reference: fc.option(text),
    tags: fc.option(fc.dictionary(name, text, { minKeys: 1, maxKeys: 3 }), { nil: undefined }),
    personal_salt: hexadecimal(12).map(bytea),
  })
  .map(({ personal_salt, ...said }) =>
    said.app_title === null &&
    said.session_id === null &&
    said.user_reference === null &&
    said.tags === undefined
      ? said
      : { ...said, personal_salt },
  );

/** Rows of an organisation with anything that requests and providers can put into them. */
export const arbitraryGeneration = (
  organisation: Pick<TestOrganisation, "orgId" | "userId" | "keyId">,
): fc.Arbitrary<GenerationRow> =>
  fc
    .tuple(columns, personal)
    .map(([some, others]) => ({ ...generationRow(organisation), ...some, ...others }));
