/** An answer as JSON text in pieces, because writing it at once would block other requests. */
export class LongJson<Value> {
  readonly pieces: readonly string[];

  constructor(pieces: readonly string[]) {
    this.pieces = pieces;
  }

  isLongerThan(charsMax: number): boolean {
    return this.pieces.reduce((chars, piece) => chars + piece.length, 0) > charsMax;
  }

  text(): string {
    return this.pieces.join("");
  }

  /** The answer itself, for callers that do not send it on. */
  value(): Value {
    // The value the pieces are made of, or its source.
    return JSON.parse(this.text()) as Value;
  }
}
