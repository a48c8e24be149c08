import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mintKey } from "#server/keys/index.ts";
import { maskSecrets, maskSecretsIn } from "./mask-secrets.ts";

const letters = (count: number) => "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7".repeat(4).slice(0, count);

/** Made up, in the forms providers give out. */
const secrets = [
  mintKey("ptl"),
  mintKey("a0"),
  mintKey("prefixof16letter"),
  `sk-${letters(48)}`,
  `sk-proj-${letters(60)}`,
  `sk-ant-api03-${letters(80)}`,
  `sk-or-v1-${letters(64)}`,
  `gsk_${letters(52)}`,
  `hf_${letters(34)}`,
  `xai-${letters(80)}`,
  `AIza${letters(35)}`,
  `AKIA${"ABCDEFGH12345678"}`,
  `ABSK${letters(60)}`,
  `ghp_${letters(36)}`,
  `eyJ${letters(20)}.${letters(40)}.${letters(43)}`,
];

describe("a text with an API key in it", () => {
  test.each(secrets)("shows of %s its beginning and its last four characters", (key) => {
    for (const text of [key, `no model named ${key} here`, `"${key}"`, `a=${key}&b=1`, `${key}\n${key}`]) {
      const shown = maskSecrets(text);
      expect(shown).not.toContain(key);
      expect(shown).not.toContain(key.slice(8, -5));
      expect(shown).toContain(`…${key.slice(-4)}`);
      expect(shown.startsWith(text.slice(0, 3))).toBe(true);
      expect(maskSecrets(shown)).toBe(shown);
    }
  });

  test("does not change the text around it", () => {
    const key = mintKey("ptl");
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), fc.string({ maxLength: 30 }), (before, after) => {
        const shown = maskSecrets(`${before} ${key} ${after}`);
        expect(shown).toBe(`${maskSecrets(before)} ptl_…${key.slice(-4)} ${maskSecrets(after)}`);
      }),
    );
  });
});

test.each([
  "mistralai/mistral-small-3.2-24b-instruct",
  "01a206cb-fd6c-7705-9a74-c2ea15738471",
  `resp_${"0".repeat(48)}`,
  `call_${"a".repeat(40)}`,
  "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  "task-skipping-is-not-a-secret-at-all",
  "Ask the desk-organising committee about this",
  "",
])("%s is no secret and stays as it is", (text) => {
  expect(maskSecrets(text)).toBe(text);
});

const units = ["eyJ", "sk-", "pa-", "AIza", "ABSK", "ya29.", "xoxa-", "ghp_", "tgp_v1_", "a0_", "AKIA"];

test.each([
  ...units,
  ...units.map((unit) => `${unit}a.`),
  ...units.map((unit) => `${"a".repeat(12)}.${unit}`),
])(
  "a megabyte of %s is looked through in the time it takes to read it",
  (unit) => {
    for (const before of ["", "-", "_", "."])
      maskSecrets((before + unit).repeat(2 ** 20 / (unit.length + 1)));
  },
  5_000,
);

test("a value is masked in every text and every name, and is itself when there is nothing to mask", () => {
  const key = mintKey("ptl");
  const clean = { a: ["x", 1, null], b: { c: true } };
  expect(maskSecretsIn(clean)).toBe(clean);
  const shown = `ptl_…${key.slice(-4)}`;
  expect(maskSecretsIn({ a: [key, { [key]: key }], n: 1 })).toEqual({ a: [shown, { [shown]: shown }], n: 1 });
});

test("asking about what every request carries costs less than a microsecond a text", () => {
  const texts = [
    "mistralai/mistral-small-3.2-24b-instruct",
    "user-4711",
    "session 0190a000-0000-7000-8000-000000000000",
  ];
  const rounds = 50_000;
  const best = Math.min(
    ...Array.from({ length: 5 }, () => {
      const beganMs = performance.now();
      for (let at = 0; at < rounds; at++) for (const text of texts) maskSecrets(text);
      return ((performance.now() - beganMs) * 1000) / rounds / texts.length;
    }),
  );
  expect(best).toBeLessThan(1);
});
