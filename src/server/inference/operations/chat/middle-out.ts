import type { ChatMessage } from "#contract/chat.ts";

/** The estimated tokens of one message. */
export type TokensOf = (message: ChatMessage) => number;

const instructing: ReadonlySet<string> = new Set(["system", "developer"]);

/** Messages that belong together: the instructions at the beginning, and calls of tools with their results. */
function unitsOf(messages: readonly ChatMessage[]): ChatMessage[][] {
  const units: ChatMessage[][] = [];
  let isBeginning = true;
  for (const message of messages) {
    const unit = units.at(-1);
    isBeginning &&= instructing.has(message.role);
    if (unit && (isBeginning || message.role === "tool")) unit.push(message);
    else units.push([message]);
  }
  return units;
}

const sum = (figures: readonly number[]): number => figures.reduce((total, one) => total + one, 0);

/** A text without its middle, of so many characters at most. */
function withoutMiddle(text: string, charsMax: number): string {
  const half = Math.floor(charsMax / 2);
  // Pairs of surrogates stay together.
  return text.slice(0, half).toWellFormed() + text.slice(text.length - half).toWellFormed();
}

/** Shortens the longest text of the messages as far as necessary; it keeps its beginning and its end. */
function shortened(messages: readonly ChatMessage[], room: number, tokensOf: TokensOf): ChatMessage[] {
  const excess = sum(messages.map(tokensOf)) - room;
  const lengthOf = ({ content }: ChatMessage) => (typeof content === "string" ? content.length : 0);
  const longest = messages.reduce((one, other) => (lengthOf(other) > lengthOf(one) ? other : one));
  const { content } = longest;
  if (excess <= 0 || typeof content !== "string" || content === "") return [...messages];
  const share = 1 - Math.min(1, excess / Math.max(1, tokensOf(longest)));
  const cut = { ...longest, content: withoutMiddle(content, Math.floor(content.length * share)) };
  return messages.map((message) => (message === longest ? cut : message));
}

/**
 * The messages without so many from their middle as necessary to fit into `room` tokens, as OpenRouter's transform
 * `middle-out` does: the first and the last remain, in their order, and a tool's call and result stay together. If
 * that is not enough, the longest text that remains loses its middle. The same array if everything fits.
 */
export function middleOut(
  messages: readonly ChatMessage[],
  room: number,
  tokensOf: TokensOf,
): readonly ChatMessage[] {
  const sized = unitsOf(messages).map((unit) => ({ unit, tokens: sum(unit.map(tokensOf)) }));
  let left = sum(sized.map(({ tokens }) => tokens));
  if (left <= room) return messages;
  let [from, to] = [Math.floor(sized.length / 2), Math.floor(sized.length / 2)];
  // What is removed is one gap, which grows to the older and the newer side in turn.
  while (left > room && to - from < sized.length - 2) {
    const isOlder = from > 1 && (sized.length - to <= from || to >= sized.length - 1);
    if (isOlder) from--;
    const removed = sized[isOlder ? from : to++];
    left -= removed?.tokens ?? 0;
  }
  const remaining = [...sized.slice(0, from), ...sized.slice(to)].flatMap(({ unit }) => unit);
  return left <= room ? remaining : shortened(remaining, room, tokensOf);
}
