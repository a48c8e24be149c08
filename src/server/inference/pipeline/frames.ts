/**
 * How a stream for a client stopped: with an ending; with an error in place of an answer, so that asking again is
 * safe; or without either, because nobody was there to read one.
 */
export type FramesEnd = "ended" | "unanswered" | "left";

/** A stream for a client: server-sent events as text, ready to be sent. */
export type Frames = AsyncGenerator<string, FramesEnd, undefined>;

/** A server-sent event whose data is JSON text already. */
export const dataFrame = (json: string): string => `data: ${json}\n\n`;

/** Says that a stream is whole. */
export const doneFrame = "data: [DONE]\n\n";
