import { anthropicMessages } from "./anthropic.ts";
import { bedrockConverse } from "./bedrock.ts";
import type { Dialect } from "./dialect.ts";
import { googleGemini } from "./google.ts";
import { azureChat, cohereChat, mistralChat, openAi } from "./openai.ts";

/** One for each kind of provider that can chat. */
export const dialects: readonly Dialect[] = [
  openAi,
  azureChat,
  mistralChat,
  cohereChat,
  anthropicMessages,
  googleGemini,
  bedrockConverse,
];
