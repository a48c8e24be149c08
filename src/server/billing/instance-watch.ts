/** The heartbeat of another process as the database has it: any text that changes with each beat. */
export interface Heartbeat {
  readonly instanceId: string;
  readonly beat: string;
}

interface Seen {
  readonly beat: string;
  readonly sinceMs: number;
}

/**
 * Tells which processes are dead: those whose heartbeat stood still while this process looked on. It never judges by
 * the database's clock, so that after an outage of the database nobody is taken for dead who could not beat.
 */
export class InstanceWatch {
  readonly #deadAfterMs: number;
  readonly #gapMaxMs: number;
  #seen = new Map<string, Seen>();
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  /** A gap between two looks of more than `gapMaxMs` proves nothing about the time in between. */
  constructor({ deadAfterMs, gapMaxMs }: { readonly deadAfterMs: number; readonly gapMaxMs: number }) {
    this.#deadAfterMs = deadAfterMs;
    this.#gapMaxMs = gapMaxMs;
  }

  /** Takes in what is seen at `nowMs` (monotonic); returns the heartbeats of the dead. */
  look(heartbeats: readonly Heartbeat[], nowMs: number): readonly Heartbeat[] {
    const isGap = nowMs - this.#lookedAtMs > this.#gapMaxMs;
    this.#lookedAtMs = nowMs;
    const before = isGap ? new Map<string, Seen>() : this.#seen;
    this.#seen = new Map(
      heartbeats.map(({ instanceId, beat }) => {
        const known = before.get(instanceId);
        return [instanceId, known?.beat === beat ? known : { beat, sinceMs: nowMs }];
      }),
    );
    return heartbeats.filter(
      ({ instanceId }) => nowMs - (this.#seen.get(instanceId)?.sinceMs ?? nowMs) >= this.#deadAfterMs,
    );
  }
}
