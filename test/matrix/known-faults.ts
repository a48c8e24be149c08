/** Faults that are known: `operation field, outcome: provider`. The list may only become shorter. */
export const knownFaults: readonly string[] = [
  "messages service_tier, rejected: Groq GPT-OSS",
  "messages service_tier, rejected: Groq Llama 3.3",
  "messages thinking, rejected: Claude Opus 4.7",
  "messages x_unknown, rejected: Claude Opus 4.7",
  "messages x_unknown, rejected: Claude Sonnet 4.5",
];
