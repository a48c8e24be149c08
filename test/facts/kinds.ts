import type { FactCase } from "./fact-case.ts";
import { openAiKinds } from "./openai-kinds.ts";
import { ownKinds } from "./own-kinds.ts";

/** An answer of every kind with all it can say beside the content. */
export const kinds: readonly FactCase[] = [...openAiKinds, ...ownKinds];
