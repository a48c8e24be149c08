/**
 * The same text, stored in one piece. V8 keeps text that was put together, or cut out of another, as references to its
 * parts: every `JSON.stringify` it is in takes three times as long. For text that is written on each request.
 */
export const inOnePiece = (text: string): string => Buffer.from(text).toString();
