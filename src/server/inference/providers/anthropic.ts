import { listsModels } from "./kind.ts";
import { sdkKind } from "./sdk-upstream.ts";

/** Anthropic's own API. */
export const anthropic = sdkKind(
  "anthropic",
  "Anthropic",
  async () => {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return (target) => {
      const at = createAnthropic(target);
      return { chat: (model) => at(model) };
    };
  },
  listsModels((credential) => ({ "x-api-key": credential, "anthropic-version": "2023-06-01" })),
);
