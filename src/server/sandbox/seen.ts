import type { Counted } from "./reply.ts";

/** One request the sandbox served, as `GET /__sandbox/requests` shows it: the oracle of billing tests. */
export interface SeenRequest extends Counted {
  /** Counts up from 1. */
  readonly sequence: number;
  readonly site: string;
  readonly operation: string;
  readonly model: string;
  /** The gateway's generation, from the header `x-portolan-generation`. */
  readonly generation: string | null;
  readonly fault: string | null;
  readonly stream: boolean;
  /** The status sent; null while nothing was, or when the socket was destroyed before. */
  status: number | null;
  /** Completion tokens handed to the socket, and those of them the operating system took. */
  produced_tokens: number;
  delivered_tokens: number;
  /** `open` until the connection is done with. */
  outcome: "open" | "completed" | "destroyed" | "client_gone";
}

/** The last `size` requests. */
export class SeenRequests {
  readonly #ring: SeenRequest[] = [];
  readonly #size: number;
  #sequence = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(
    request: Pick<SeenRequest, "site" | "operation" | "model" | "generation" | "fault" | "stream"> & Counted,
  ): SeenRequest {
    const seen: SeenRequest = {
      sequence: ++this.#sequence,
      status: null,
      produced_tokens: 0,
      delivered_tokens: 0,
      outcome: "open",
      ...request,
    };
    this.#ring[this.#sequence % this.#size] = seen;
    return seen;
  }

  /** Those after a sequence number, oldest first. */
  after(sequence = 0): SeenRequest[] {
    return this.#ring
      .filter((seen) => seen.sequence > sequence)
      .toSorted((a, b) => a.sequence - b.sequence)
      .map((seen) => ({ ...seen }));
  }
}
