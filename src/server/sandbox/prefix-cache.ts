import { hashText } from "./seeded.ts";

const tokensPerBlock = 32;

/**
 * Remembers which beginnings of prompts were seen, in blocks of 32 tokens, as a real prompt cache does.
 * Holds at most `blocksMax` blocks and forgets the one used longest ago.
 */
export class PrefixCache {
  readonly #blocks = new Set<string>();
  readonly #blocksMax: number;

  constructor(blocksMax = 4096) {
    this.#blocksMax = blocksMax;
  }

  /** How many leading tokens were seen before under `scope`; remembers the prompt for the next time. */
  read(scope: string, tokens: readonly string[]): number {
    let cached = 0;
    let chain = scope;
    let unbroken = true;
    for (let end = tokensPerBlock; end <= tokens.length; end += tokensPerBlock) {
      const block = tokens.slice(end - tokensPerBlock, end).join("");
      chain = `${scope}#${end}:${hashText(chain + block)}:${hashText(block)}`;
      unbroken = unbroken && this.#blocks.delete(chain);
      if (unbroken) cached = end;
      this.#blocks.add(chain);
    }
    this.#forget();
    return cached;
  }

  #forget(): void {
    for (const oldest of this.#blocks) {
      if (this.#blocks.size <= this.#blocksMax) return;
      this.#blocks.delete(oldest);
    }
  }
}
