import { httpUpstream } from "./http-upstream.ts";
import { listsModels, type ProviderKind } from "./kind.ts";
import { sdkKind } from "./sdk-upstream.ts";

const keyHeader = (credential: string) => ({ "api-key": credential });

const overPackage = sdkKind(
  "azure",
  "Azure",
  async () => {
    const { createAzure } = await import("@ai-sdk/azure");
    return (target) => {
      const at = createAzure(target);
      return { chat: (model) => at.chat(model), embedding: (model) => at.embedding(model) };
    };
  },
  listsModels(keyHeader),
);

/**
 * Azure's OpenAI resources and Foundry, by their `/openai/v1` address. Its responses operation is OpenAI's, so it needs
 * no package.
 */
export const azure: ProviderKind = {
  ...overPackage,
  upstream(endpoint, api, credential) {
    if (api !== "responses") return overPackage.upstream(endpoint, api, credential);
    const { baseUrl } = endpoint.provider;
    if (!baseUrl) return null;
    return httpUpstream({
      url: new URL(`${baseUrl.replace(/\/+$/, "")}/responses`),
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(credential && keyHeader(credential)),
      },
    });
  },
};
