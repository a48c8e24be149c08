import { isJson, type Json, textOrNull } from "../wires/shared/json.ts";
import { listsModels } from "./kind.ts";
import { sdkKind } from "./sdk-upstream.ts";

/** The package for Azure does not read refusals, so an answer that is one would be empty. */
function unreadRefusal(value: unknown): Json | null {
  const [choice]: unknown[] = isJson(value) && Array.isArray(value.choices) ? value.choices : [];
  const said = isJson(choice) ? (choice.message ?? choice.delta) : null;
  return isJson(said) && textOrNull(said.refusal) ? { refusal: said.refusal } : null;
}

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
  unreadRefusal,
);
