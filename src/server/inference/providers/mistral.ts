import { bearer, listsModels } from "./kind.ts";
import { sdkKind } from "./sdk-upstream.ts";

/** Mistral's own API. */
export const mistral = sdkKind(
  "mistral",
  "Mistral",
  async () => {
    const { createMistral } = await import("@ai-sdk/mistral");
    return (target) => {
      const at = createMistral(target);
      return { chat: (model) => at(model), embedding: (model) => at.embedding(model) };
    };
  },
  listsModels(bearer),
);
