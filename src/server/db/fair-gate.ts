/** A place in front of the connections. */
export interface Place {
  /** Resolves when a connection may be taken. */
  readonly granted: Promise<void>;
  /** Gives the connection back, or the place in the queue up. Counts once. */
  leave(): void;
}

interface GateLimits {
  /** Places at the same time, of all and of one holder. */
  readonly slots: number;
  readonly slotsPerHolder: number;
  /** Who may wait, of all and of one holder. */
  readonly waitingMax: number;
  readonly waitingMaxPerHolder: number;
}

interface Holder {
  running: number;
  /** The number of the last place it was granted: who was served longest ago is next. */
  lastTurn: number;
  readonly waiting: Set<() => void>;
}

/**
 * Shares few connections among many holders: each holder's requests come first in, first out; holders take turns;
 * one alone never has all connections.
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

  /** Asks for a place; null when too many wait already. */
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

  /** The holder whose turn it is. */
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
