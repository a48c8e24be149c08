/** The heartbeat of another process in the database: a text that changes each time. */
export interface Heartbeat {
  readonly instanceId: string;
  readonly beat: string;
}

interface Seen {
  readonly beat: string;
  readonly sinceMs: number;
}

/**
 * Detects dead processes: those whose heartbeat has not changed while this process was checking. It does not compare
 * times of the database, so that after an outage no process that could not write is considered dead.
 */
export class InstanceWatch {
  readonly #deadAfterMs: number;
  readonly #gapMaxMs: number;
  #seen = new Map<string, Seen>();
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  /** A gap between two checks of more than `gapMaxMs` says nothing about the time in between. */
  constructor({ deadAfterMs, gapMaxMs }: { readonly deadAfterMs: number; readonly gapMaxMs: number }) {
    this.#deadAfterMs = deadAfterMs;
    this.#gapMaxMs = gapMaxMs;
  }

  /** Processes the heartbeats seen at `nowMs` (monotonic). Returns those of dead processes. */
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
