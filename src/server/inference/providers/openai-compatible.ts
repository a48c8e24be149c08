import type { Api } from "#server/catalog/index.ts";
import type { ProviderKind } from "./kind.ts";

const paths: Partial<Record<Api, string>> = { completions: "/completions", chat: "/chat/completions" };

/** Everything that speaks OpenAI's HTTP API: most European providers, vLLM, Ollama, llama.cpp. */
export const openAiCompatible: ProviderKind = {
  kind: "openai-compatible",
  title: "OpenAI-compatible",
  target({ provider }, api, credential) {
    const path = paths[api];
    if (!path || !provider.baseUrl) return null;
    return {
      url: new URL(provider.baseUrl.replace(/\/+$/, "") + path),
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(credential && { authorization: `Bearer ${credential}` }),
      },
    };
  },
};
