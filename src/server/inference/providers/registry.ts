import type { ProviderKind } from "./kind.ts";
import { openAiCompatible } from "./openai-compatible.ts";

/** The only list of provider kinds in the program. */
export const providerKinds: ReadonlyMap<string, ProviderKind> = new Map(
  [openAiCompatible].map((kind) => [kind.kind, kind]),
);
