import { signatureOf } from "#test/dialects/dialect.ts";
import { gemini } from "./gemini.ts";
import { type Row, verdicts } from "./verdicts.ts";

const ok = "accepted";
const user = { role: "user", parts: [{ text: "Hello" }] };
const config = (own: object) => ({ generationConfig: own });
const thinking = (own: object) => config({ thinkingConfig: own });
const declared = (parameters: object) => ({
  tools: [{ functionDeclarations: [{ name: "weather", parameters }] }],
});
const call = (own: object) => ({
  contents: [
    user,
    { role: "model", parts: [{ functionCall: { name: "weather", args: { a: 1 } }, ...own }] },
    { role: "user", parts: [{ functionResponse: { name: "weather", response: {} } }] },
  ],
});
const property = { type: "object", properties: { a: { type: "string" } } };

const common: readonly Row[] = [
  ["nothing special", {}, ok],
  ["an unknown name", { seed: 1 }, [400, 'Unknown name \\"seed\\"']],
  ["an unknown name further inside", config({ min_p: 1 }), [400, "at 'generationConfig'"]],
  ["an OpenAI message", { contents: [{ role: "user", content: "a" }] }, [400, "content"]],
  ["a schema of the subset", declared(property), ok],
  ["a schema with $schema", declared({ $schema: "x", type: "object" }), [400, "$schema"]],
  ["a closed schema", declared({ ...property, additionalProperties: false }), [400, "additionalProperties"]],
  [
    "a constant further inside",
    declared({ type: "object", properties: { a: { const: 1 } } }),
    [400, "const"],
  ],
  ["six stops", config({ stopSequences: ["1", "2", "3", "4", "5", "6"] }), [400, "stopSequences"]],
  ["a budget with a level", thinking({ thinkingBudget: 5, thinkingLevel: "low" }), [400, "only one of"]],
  ["logprobs", config({ responseLogprobs: true }), [400, "Logprobs is not enabled"]],
];
const pro3 = "/v1beta/models/gemini-3-pro-preview:generateContent";
const onPro3 = ([name, own, expected]: Row): Row => [`${name}, to Gemini 3`, own, expected, pro3];
verdicts(gemini, "/v1beta/models/gemini-2.5-flash:generateContent", { contents: [user] }, [
  ...common,
  ...common.map(onPro3),
  ["a penalty", config({ presencePenalty: 1 }), [400, "Penalty is not enabled"]],
  ["a penalty of Gemini 3", config({ presencePenalty: 1 }), ok, pro3],
  ["no thinking", thinking({ thinkingBudget: 0 }), ok],
  [
    "no thinking of a model that must think",
    thinking({ thinkingBudget: 0 }),
    [400, "Budget 0 is invalid"],
    pro3,
  ],
  ["a level", thinking({ thinkingLevel: "low" }), ok, pro3],
  ["a level of Gemini 2", thinking({ thinkingLevel: "low" }), [400, "level is not supported"]],
  ["a call without its signature", call({}), [400, "missing a thought_signature"], pro3],
  ["a call without its signature to Gemini 2", call({}), ok],
  [
    "a call with another signature",
    call({ thoughtSignature: "x" }),
    [400, "missing a thought_signature"],
    pro3,
  ],
  ["a call with its signature", call({ thoughtSignature: signatureOf('{"a":1}') }), ok, pro3],
  ["a call of another model", call({ thoughtSignature: "skip_thought_signature_validator" }), ok, pro3],
  ["JSON", config({ responseMimeType: "application/json" }), ok],
  [
    "JSON beside tools",
    { ...declared(property), ...config({ responseMimeType: "application/json" }) },
    [400, "unsupported"],
  ],
  [
    "JSON beside tools of Gemini 3",
    { ...declared(property), ...config({ responseMimeType: "application/json" }) },
    ok,
    pro3,
  ],
]);
verdicts(
  gemini,
  "/v1beta/models/gemini-embedding-001:batchEmbedContents",
  { requests: [{ content: { parts: [{ text: "a" }] } }] },
  [
    ["nothing special", {}, ok],
    [
      "OpenAI's dimensions",
      { requests: [{ content: { parts: [{ text: "a" }] }, dimensions: 8 }] },
      [400, "dimensions"],
    ],
    [
      "101 texts",
      { requests: Array(101).fill({ content: { parts: [{ text: "a" }] } }) },
      [400, "at most 100"],
    ],
  ],
);
