import { signatureOf } from "#test/dialects/dialect.ts";
import { bedrock } from "./bedrock.ts";
import { type Row, verdicts } from "./verdicts.ts";

const ok = "accepted";
const user = { role: "user", content: [{ text: "Hello" }] };
const says = (...content: object[]) => ({ role: "assistant", content });
const use = (toolUseId: string) => ({ toolUse: { toolUseId, name: "weather", input: {} } });
const result = (toolUseId: string) => ({
  role: "user",
  content: [{ toolResult: { toolUseId, content: [{ text: "Sunny" }] } }],
});
const toolConfig = { tools: [{ toolSpec: { name: "weather", inputSchema: { json: {} } } }] };
const inference = (own: object) => ({ inferenceConfig: { maxTokens: 4_000, ...own } });
const more = (own: object) => ({ additionalModelRequestFields: own });
const thinking = more({ thinking: { type: "enabled", budget_tokens: 1_024 } });
const thought = (signature: string) => ({ reasoningContent: { reasoningText: { text: "Hm.", signature } } });
const loop = (...before: object[]) => ({
  ...thinking,
  toolConfig,
  messages: [user, says(...before, use("toolu_thought0")), result("toolu_thought0")],
});
const path = (model: string) => `/model/${encodeURIComponent(model)}/converse`;
const base = { messages: [user] };

const common: readonly Row[] = [
  ["nothing special", {}, ok],
  ["a temperature above 1", inference({ temperature: 1.2 }), [400, "inferenceConfig.temperature"]],
  ["no choice of tools", { toolConfig: { ...toolConfig, toolChoice: { none: {} } } }, [400, "toolChoice"]],
  [
    "an image by its address",
    {
      messages: [
        { role: "user", content: [{ image: { format: "png", source: { url: "https://a.example" } } }] },
      ],
    },
    [400, "source"],
  ],
  ["two turns of the user", { messages: [user, user] }, [400, "must alternate"]],
  ["a first turn of the assistant", { messages: [says({ text: "a" }), user] }, [400, "start with a user"]],
  ["a blank text", { messages: [{ role: "user", content: [{ text: " " }] }] }, [400, "blank"]],
  [
    "calls in the history without tools",
    { messages: [user, says(use("a")), result("a")] },
    [400, "toolConfig field must be defined"],
  ],
  ["calls in the history with tools", { toolConfig, messages: [user, says(use("a")), result("a")] }, ok],
  ["an additional field that the model does not know", more({ mood: "good" }), [400, "mood"]],
];

const claude = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
const opus47 = path("eu.anthropic.claude-opus-4-7-v1:0");
const newest = path("eu.anthropic.claude-sonnet-5-5-v1:0");
verdicts(bedrock, path(claude), base, [
  ...common,
  ["top_k", more({ top_k: 4 }), ok],
  ["a temperature with top_p", inference({ temperature: 0.2, topP: 0.2 }), [400, "cannot both"]],
  [
    "a temperature where the model samples itself",
    inference({ temperature: 0.2 }),
    [400, "temperature"],
    opus47,
  ],
  [
    "a budget as large as the answer",
    { ...thinking, inferenceConfig: { maxTokens: 1_000 } },
    [400, "must be greater"],
  ],
  ["a budget where thinking is adaptive only", thinking, [400, "adaptive"], opus47],
  ["adaptive thinking of an older model", more({ thinking: { type: "adaptive" } }), [400, "adaptive"]],
  ["thinking that cannot be off", more({ thinking: { type: "disabled" } }), [400, "disabled"], newest],
  [
    "a temperature with thinking",
    { ...thinking, ...inference({ temperature: 0.2 }) },
    [400, "only be set to 1"],
  ],
  [
    "a forced call with thinking",
    { ...thinking, toolConfig: { ...toolConfig, toolChoice: { any: {} } } },
    [400, "forces tool use"],
  ],
  ["thinking as it was", loop(thought(signatureOf("Hm."))), ok],
  ["no thinking", loop(), [400, "Expected `thinking`"]],
  ["thinking with another signature", loop(thought("x")), [400, "Expected `thinking`"]],
  ["a prefill of a newer model", { messages: [user, says({ text: "a" })] }, [400, "prefill"], opus47],
]);
