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
  /** Somebody signed in to the account from this address not long ago. */
  readonly known_until: Date | null;
}

/** Where an attempt comes from, as far as that tells one person from others. */
export interface Origin {
  /** Null when others come from it as well. */
  readonly address: string | null;
  /** A browser that the account was signed in to with before, or a session of it. */
  readonly device: string | null;
}

/** Only digests are kept: who tried what, and from where, is nobody's to read. */
function subjectsOf(account: string, { address, device }: Origin) {
  const name = account.trim().toLowerCase();
  const place = device !== null ? `${name} device ${device}` : address !== null ? `${name} ${address}` : null;
  return { place: place === null ? null : sha256(place), account: sha256(name) };
}

/** What is kept of a subject, locked until the transaction ends. */
async function locked(tx: Tx, subject: string, now: Date): Promise<Attempts> {
  const [kept] = await tx.$queryRaw<[Attempts]>`
    insert into sign_in_attempt as kept (subject, counted_at) values (${subject}, ${now})
    on conflict (subject) do update set subject = excluded.subject
    returning subject, count, counted_at, blocked_until, known_until`;
  return kept;
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
 * Slows down guessing of one account's password, from one address and from many: ten passwords in a minute
 * at most, over all processes. An attempt counts when it begins, so a burst of parallel guesses gains nothing;
 * success forgets what was counted. Where a person has signed in before, by browser or by address, strangers' guesses
 * do not make them wait; elsewhere they wait a minute at most after the last guess.
 */
export class SignInThrottle {
  readonly #database: Database;
  readonly #now: () => Date;

  constructor(database: Database, nowMs: () => number = () => clock.nowMs()) {
    this.#database = database;
    this.#now = () => dateAt(nowMs());
  }

  /** Counts an attempt. Resolves 0, or the milliseconds to wait when it is refused. */
  admit(account: string, origin: Origin): Promise<number> {
    const subjects = subjectsOf(account, origin);
    const now = this.#now();
    return this.#database.transaction(async (tx) => {
      const place = subjects.place === null ? null : await locked(tx, subjects.place, now);
      const all = place === null ? [] : [{ kept: place, rule: ofPlace }];
      const isKnown = origin.device !== null || (place?.known_until && place.known_until > now);
      if (!isKnown) all.push({ kept: await locked(tx, subjects.account, now), rule: ofAccount });
      const wait = Math.max(...all.map(({ kept }) => waitMs(kept, now)));
      if (wait > 0) return wait;
      for (const { kept, rule } of all) {
        const { subject } = kept;
        await tx.sign_in_attempt.update({ where: { subject }, data: counted(kept, rule, now) });
      }
      return 0;
    });
  }

  /** Forgets the attempts of an account that has just been signed in to. */
  async succeeded(account: string, origin: Origin): Promise<void> {
    const subjects = subjectsOf(account, origin);
    const now = this.#now();
    await this.#database.transaction(async (tx) => {
      const place = subjects.place === null ? null : await locked(tx, subjects.place, now);
      const known = origin.device !== null || (place?.known_until && place.known_until > now);
      const forgotten = [...(place ? [place.subject] : []), ...(known ? [] : [subjects.account])];
      const where = { subject: { in: forgotten } };
      await tx.sign_in_attempt.updateMany({ where, data: { count: 0, blocked_until: null } });
      if (!place || origin.device !== null) return;
      const known_until = dateAt(now.getTime() + knownMs);
      await tx.sign_in_attempt.update({ where: { subject: place.subject }, data: { known_until } });
    });
  }
}

/** Forgets attempts that no longer make anybody wait. */
export async function purgeOldAttempts({ prisma }: Database): Promise<void> {
  const nowMs = clock.nowMs();
  await prisma.sign_in_attempt.deleteMany({
    where: {
      counted_at: { lt: dateAt(nowMs - rememberMs) },
      OR: [{ known_until: null }, { known_until: { lt: dateAt(nowMs) } }],
    },
  });
}
