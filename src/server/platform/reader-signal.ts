import { atEndOfTurn } from "./turn.ts";

/** Lets one reader wait until something has arrived for it. It may be woken without reason. */
export class ReaderSignal {
  #wake: (() => void) | undefined;
  #isWaking = false;

  /** Resolves when the reader is woken. */
  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  readonly wake = (): void => {
    this.#isWaking = false;
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  };

  /** Wakes the reader when all that arrived in this turn of the event loop is there. */
  wakeAtEndOfTurn(): void {
    if (!this.#wake || this.#isWaking) return;
    this.#isWaking = true;
    atEndOfTurn("read", this.wake);
  }
}
