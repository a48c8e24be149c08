import type { OpenRouter } from "@openrouter/sdk";
import { expect } from "vitest";
import { pagesOf, type SdkCall } from "./openrouter-sdk-keys.ts";
import type { TestServer } from "./server.ts";

const slug = "sdk";
const version = {
  config: { models: ["sandbox/chat"], max_tokens: 5 },
  systemPrompt: "Be brief.",
  version: 1,
};

/** Calls about presets. The SDK throws for what its schemas do not know. */
export async function presetCalls({ post }: TestServer, sdk: OpenRouter): Promise<readonly SdkCall[]> {
  await post("/presets", { name: slug, system_prompt: version.systemPrompt, config: version.config });
  const messages = [{ role: "user" as const, content: "Which port?" }];
  return [
    [
      "presets.list",
      () => pagesOf(sdk.presets.list()),
      [expect.objectContaining({ slug, status: "active" })],
    ],
    ["presets.get", () => sdk.presets.get({ slug }), { data: { slug, designatedVersion: version } }],
    ["presets.getVersion", () => sdk.presets.getVersion({ slug, version: "1" }), { data: version }],
    [
      "presets.listVersions",
      () => pagesOf(sdk.presets.listVersions({ slug })),
      [expect.objectContaining(version)],
    ],
    [
      "chat.send",
      () => sdk.chat.send({ chatRequest: { model: `@preset/${slug}`, messages } }),
      { model: "sandbox/chat", usage: { completionTokens: 5 } },
    ],
  ];
}
