const kib = 1024;
const mib = 1024 * kib;

/** Bytes of the body of an inference request. A text in it has no other limit: it has fewer characters. */
export const bodyBytesMax = {
  /** Chat and responses: conversations with pictures and files in them. */
  conversation: 32 * mib,
  /** Completions: more text than the longest window takes. */
  prompt: 8 * mib,
  /** Rerank: more than a reranker reads of a thousand documents. */
  documents: 16 * mib,
  /** Embeddings: more than any provider embeds at once. */
  embedding: 4 * mib,
} as const;

/** Tokens in the place of text, in all: as many as the longest window has. */
export const tokensMax = 1_000_000;

/** Characters of the instructions of a response, which come back with every one of its events. */
export const instructionsCharsMax = mib;

/** Characters of a description of a tool or of a format. */
export const descriptionCharsMax = 64 * kib;
