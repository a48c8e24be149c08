/** An answer as JSON text in pieces, because made at once it would be too long. */
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

  /** The answer itself, for who does not send it on. */
  value(): Value {
    // The pieces are made of this value, or of what a provider gave for it.
    return JSON.parse(this.text()) as Value;
  }
}
