/**
 * A stream for a client: server-sent events as text, ready to be sent. Returns false when it stopped without an
 * ending because nobody was there to read one.
 */
export type Frames = AsyncGenerator<string, boolean, undefined>;

/** A server-sent event whose data is JSON text already. */
export const dataFrame = (json: string): string => `data: ${json}\n\n`;

/** Says that a stream is whole. */
export const doneFrame = "data: [DONE]\n\n";
