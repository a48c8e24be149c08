import type { Database, Tx } from "#server/db/client.ts";
import { clock, dateAt, dayMs } from "#server/platform/clock.ts";
import { sha256 } from "#server/platform/crypto.ts";

const minuteMs = 60_000;
const rememberMs = 30 * minuteMs;
const knownMs = 30 * dayMs;

interface Rule {
  /** Attempts without success before each further one waits twice as long as the one before. */
  readonly free: number;
  readonly waitMaxMs: number;
}
const ofPlace: Rule = { free: 5, waitMaxMs: 15 * minuteMs };
const ofAccount: Rule = { free: 5, waitMaxMs: minuteMs };

interface Attempts {
  readonly subject: string;
  readonly count: number;
  readonly counted_at: Date;
  readonly blocked_until: Date | null;
  /** Until when the address counts as known: the account was signed in to from it recently. */
  readonly known_until: Date | null;
}

/** Where an attempt comes from, as far as that identifies one person. */
export interface Origin {
  /** Null if several people share it. */
  readonly address: string | null;
  /** A browser the account has signed in with before, or a session of it. */
  readonly device: string | null;
}

/** Only digests are stored, so that nobody can read who tried to sign in from where. */
function subjectsOf(account: string, { address, device }: Origin) {
  const name = account.trim().toLowerCase();
  const place = device !== null ? `${name} device ${device}` : address !== null ? `${name} ${address}` : null;
  return { place: place === null ? null : sha256(place), account: sha256(name) };
}

/** The row of a subject, locked until the transaction ends. */
async function locked(tx: Tx, subject: string, now: Date): Promise<Attempts> {
  const [row] = await tx.$queryRaw<[Attempts]>`
    insert into sign_in_attempt (subject, counted_at) values (${subject}, ${now})
    on conflict (subject) do update set subject = excluded.subject
    returning subject, count, counted_at, blocked_until, known_until`;
  return row;
}

const waitMs = ({ blocked_until }: Attempts, now: Date): number =>
  Math.max(0, (blocked_until?.getTime() ?? 0) - now.getTime());

function counted({ count, counted_at }: Attempts, { free, waitMaxMs }: Rule, now: Date) {
  const before = now.getTime() - counted_at.getTime() < rememberMs ? count : 0;
  const over = before + 1 - free;
  const blockMs = over < 0 ? 0 : Math.min(1000 * 2 ** over, waitMaxMs);
  const blocked_until = blockMs > 0 ? dateAt(now.getTime() + blockMs) : null;
  return { count: before + 1, counted_at: now, blocked_until };
}

/**
 * Slows down guessing of an account's password from one address and from many: at most ten passwords per minute, over
 * all processes. An attempt counts when it begins, so parallel guesses have no advantage. Success resets the counters.
 * From a known browser or address a person never waits for the guesses of others, elsewhere at most a minute.
 */
export class SignInThrottle {
  readonly #database: Database;
  readonly #now: () => Date;

  constructor(database: Database, nowMs: () => number = () => clock.nowMs()) {
    this.#database = database;
    this.#now = () => dateAt(nowMs());
  }

  /** Counts an attempt. Resolves to 0, or to the milliseconds to wait if it is refused. */
  admit(account: string, origin: Origin): Promise<number> {
    const subjects = subjectsOf(account, origin);
    const now = this.#now();
    return this.#database.transaction(async (tx) => {
      const place = subjects.place === null ? null : await locked(tx, subjects.place, now);
      const all = place === null ? [] : [{ attempts: place, rule: ofPlace }];
      const isKnown = origin.device !== null || (place?.known_until && place.known_until > now);
      if (!isKnown) all.push({ attempts: await locked(tx, subjects.account, now), rule: ofAccount });
      const wait = Math.max(...all.map(({ attempts }) => waitMs(attempts, now)));
      if (wait > 0) return wait;
      for (const { attempts, rule } of all) {
        const { subject } = attempts;
        await tx.sign_in_attempt.update({ where: { subject }, data: counted(attempts, rule, now) });
      }
      return 0;
    });
  }

  /** Resets the counters of an account after a successful sign-in. */
  async succeeded(account: string, origin: Origin): Promise<void> {
    const subjects = subjectsOf(account, origin);
    const now = this.#now();
    await this.#database.transaction(async (tx) => {
      const place = subjects.place === null ? null : await locked(tx, subjects.place, now);
      const known = origin.device !== null || (place?.known_until && place.known_until > now);
      const reset = [...(place ? [place.subject] : []), ...(known ? [] : [subjects.account])];
      const where = { subject: { in: reset } };
      await tx.sign_in_attempt.updateMany({ where, data: { count: 0, blocked_until: null } });
      if (!place || origin.device !== null) return;
      const known_until = dateAt(now.getTime() + knownMs);
      await tx.sign_in_attempt.update({ where: { subject: place.subject }, data: { known_until } });
    });
  }
}

/** Deletes attempts that no longer cause a wait. */
export async function purgeOldAttempts({ prisma }: Database): Promise<void> {
  const nowMs = clock.nowMs();
  await prisma.sign_in_attempt.deleteMany({
    where: {
      counted_at: { lt: dateAt(nowMs - rememberMs) },
      OR: [{ known_until: null }, { known_until: { lt: dateAt(nowMs) } }],
    },
  });
}
