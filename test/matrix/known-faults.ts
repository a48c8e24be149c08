/** Faults that are known: `operation field, outcome: provider`. The list may only become shorter. */
export const knownFaults: readonly string[] = [
  "messages thinking, rejected: Claude Opus 4.7",
  "messages x_unknown, rejected: Claude Opus 4.7",
  "messages x_unknown, rejected: Claude Sonnet 4.5",
];
