/** A place in the queue for a connection. */
export interface Place {
  /** Resolves when a connection may be taken. */
  readonly granted: Promise<void>;
  /** Returns the connection, or leaves the queue. Only the first call counts. */
  leave(): void;
}

interface GateLimits {
  /** Parallel places, in total and per holder. */
  readonly slots: number;
  readonly slotsPerHolder: number;
  /** Waiting requests, in total and per holder. */
  readonly waitingMax: number;
  readonly waitingMaxPerHolder: number;
}

interface Holder {
  running: number;
  /** The number of the last place it was granted. The holder with the lowest number is next. */
  lastTurn: number;
  readonly waiting: Set<() => void>;
}

/**
 * Shares a few connections among many holders, round robin. The requests of one holder are first in, first out. A
 * single holder never gets all connections.
 */
export class FairGate {
  readonly #limits: GateLimits;
  readonly #holders = new Map<string, Holder>();
  #turn = 0;
  #running = 0;
  #waiting = 0;

  constructor(limits: GateLimits) {
    this.#limits = limits;
  }

  /** Requests a place. Null if too many are waiting already. */
  enter(name: string): Place | null {
    const { waitingMax, waitingMaxPerHolder } = this.#limits;
    const holder = this.#holders.get(name) ?? { running: 0, lastTurn: 0, waiting: new Set() };
    const isFree = this.#running < this.#limits.slots && this.#hasRoom(holder) && holder.waiting.size === 0;
    if (!isFree && (this.#waiting >= waitingMax || holder.waiting.size >= waitingMaxPerHolder)) return null;
    this.#holders.set(name, holder);
    const { promise: granted, resolve } = Promise.withResolvers<void>();
    let state: "waiting" | "running" | "left" = "waiting";
    const grant = () => {
      state = "running";
      holder.running++;
      this.#running++;
      holder.lastTurn = ++this.#turn;
      resolve();
    };
    if (isFree) grant();
    else {
      holder.waiting.add(grant);
      this.#waiting++;
    }
    return {
      granted,
      leave: () => {
        if (state === "left") return;
        if (state === "running") {
          holder.running--;
          this.#running--;
        } else if (holder.waiting.delete(grant)) this.#waiting--;
        state = "left";
        if (holder.running === 0 && holder.waiting.size === 0) this.#holders.delete(name);
        this.#serve();
      },
    };
  }

  readonly #hasRoom = (holder: Holder): boolean => holder.running < this.#limits.slotsPerHolder;

  /** The holder that is next. */
  #next(): Holder | undefined {
    let next: Holder | undefined;
    for (const holder of this.#holders.values()) {
      if (holder.waiting.size === 0 || !this.#hasRoom(holder)) continue;
      if (!next || holder.lastTurn < next.lastTurn) next = holder;
    }
    return next;
  }

  #serve(): void {
    while (this.#running < this.#limits.slots) {
      const holder = this.#next();
      const [grant] = holder?.waiting ?? [];
      if (!holder || !grant) return;
      holder.waiting.delete(grant);
      this.#waiting--;
      grant();
    }
  }
}
