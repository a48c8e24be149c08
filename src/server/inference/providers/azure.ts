import { listsModels } from "./kind.ts";
import { sdkKind } from "./sdk-upstream.ts";

/** Azure's OpenAI resources and Foundry, by their `/openai/v1` address. */
export const azure = sdkKind(
  "azure",
  "Azure",
  async () => {
    const { createAzure } = await import("@ai-sdk/azure");
    return (target) => {
      const at = createAzure(target);
      return { chat: (model) => at.chat(model), embedding: (model) => at.embedding(model) };
    };
  },
  listsModels((credential) => ({ "api-key": credential })),
);
