/** Why a hold cannot grow: its subject has its share, or there is nothing left for anybody. */
export type Refusal = "share" | "all";

interface Count {
  bytes: number;
}

interface Subject extends Count {
  holds: number;
}

/** Subjects without a request under way are remembered up to here: to enter and leave a table each time costs more. */
const rememberedMax = 10_000;

/** What one request holds of a budget. */
export class ByteHold {
  readonly #bytesMax: number;
  readonly #all: Count;
  readonly #subject: Subject;
  #bytes = 0;
  #released = false;

  constructor(bytesMax: number, all: Count, subject: Subject) {
    this.#bytesMax = bytesMax;
    this.#all = all;
    this.#subject = subject;
    subject.holds++;
  }

  /**
   * Reserves more. If there is no room, returns why and changes nothing. After the release, it never reserves again.
   */
  take(bytes: number): Refusal | null {
    if (this.#released) return null;
    const left = this.#bytesMax - this.#all.bytes - bytes;
    const own = this.#subject.bytes;
    if (left < 0) return "all";
    if (own + bytes > left) return own === 0 ? "all" : "share";
    this.#add(bytes);
    return null;
  }

  /** Gives everything back; a second time nothing. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#subject.holds--;
    this.#add(-this.#bytes);
  }

  #add(bytes: number): void {
    this.#bytes += bytes;
    this.#subject.bytes += bytes;
    this.#all.bytes += bytes;
  }
}

/**
 * Bytes that many share. A subject may hold as many as would be left for all others: half when it is alone, a third
 * each of two. So who comes new finds room, however many hold all they may.
 */
export class ByteBudget {
  readonly #bytesMax: number;
  readonly #all: Count = { bytes: 0 };
  readonly #subjects = new Map<string, Subject>();

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes that are held in all. */
  held(): number {
    return this.#all.bytes;
  }

  /** Begins a request of a subject. The caller must release the hold. */
  hold(name: string): ByteHold {
    const known = this.#subjects.get(name);
    if (known) return new ByteHold(this.#bytesMax, this.#all, known);
    if (this.#subjects.size >= rememberedMax) this.#evictIdle();
    const subject = { bytes: 0, holds: 0 };
    this.#subjects.set(name, subject);
    return new ByteHold(this.#bytesMax, this.#all, subject);
  }

  #evictIdle(): void {
    for (const [name, { holds }] of this.#subjects) if (holds === 0) this.#subjects.delete(name);
  }
}
