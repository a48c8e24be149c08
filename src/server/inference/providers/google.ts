import { listsModels } from "./kind.ts";
import { sdkKind } from "./sdk-upstream.ts";

/** Google's own API. */
export const google = sdkKind(
  "google",
  "Google",
  async () => {
    const { createGoogle } = await import("@ai-sdk/google");
    return (target) => {
      const at = createGoogle(target);
      return { chat: (model) => at(model), embedding: (model) => at.embedding(model) };
    };
  },
  listsModels((credential) => ({ "x-goog-api-key": credential })),
);
