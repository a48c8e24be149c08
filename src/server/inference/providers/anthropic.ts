import { httpUpstream } from "./http-upstream.ts";
import { listsModels, type ProviderKind } from "./kind.ts";
import { sdkKind } from "./sdk-upstream.ts";

/** The version of the API, unless the client names one. */
const version = { "anthropic-version": "2023-06-01" };

const chats = sdkKind(
  "anthropic",
  "Anthropic",
  async () => {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return (target) => {
      const at = createAnthropic(target);
      return { chat: (model) => at(model) };
    };
  },
  listsModels((credential) => ({ "x-api-key": credential, ...version })),
);

/** Anthropic's own API. Requests for messages are in its form already, all others are translated by a package. */
export const anthropic: ProviderKind = {
  ...chats,
  upstream(endpoint, api, credential) {
    if (api !== "messages") return chats.upstream(endpoint, api, credential);
    const { baseUrl } = endpoint.provider;
    if (!baseUrl) return null;
    return httpUpstream({
      url: new URL(`${baseUrl.replace(/\/+$/, "")}/messages`),
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...version,
        ...(credential && { "x-api-key": credential }),
      },
    });
  },
};
