/**
 * How a stream for a client stopped: at its end; with an error instead of an answer, so that a retry is safe; or
 * without either, because the client had disconnected.
 */
export type FramesEnd = "ended" | "unanswered" | "left";

/** A stream for a client: server-sent events as text, ready to be sent. */
export type Frames = AsyncGenerator<string, FramesEnd, undefined>;

/** A server-sent event whose data is JSON text. */
export const dataFrame = (json: string): string => `data: ${json}\n\n`;

/** Marks a stream as complete. */
export const doneFrame = "data: [DONE]\n\n";
