import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import type { Caller } from "#server/access/caller.ts";
import { asInteractive, type Database, inBackground } from "#server/db/index.ts";
import { sha256 } from "#server/platform/crypto.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import type { SealedPlace, Sealer } from "#server/platform/sealing.ts";

/** A successful answer, stored completely. */
const StoredAnswer = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  /** `events` is the complete text of a stream. */
  kind: z.enum(["json", "events"]),
  body: z.string(),
});
export type StoredAnswer = z.infer<typeof StoredAnswer>;

/** A request that is the first with its key. Call exactly one of its methods. */
export interface FirstRequest {
  readonly replay: null;
  /** Retries get this answer. */
  store(answer: StoredAnswer): Promise<void>;
  /** Nothing was done: a retry is handled like a first request. */
  release(): Promise<void>;
  /** Something was done, but there is no answer to repeat: retries are refused, never executed again. */
  lose(): Promise<void>;
}

interface Repeated {
  readonly replay: StoredAnswer;
}

interface Retryable {
  readonly caller: Caller;
  /** Method and path as declared. */
  readonly route: string;
  /** The value of `Idempotency-Key`. */
  readonly key: string;
  /** What must be equal in a retry. */
  readonly body: string | Buffer;
}

const lost = "lost";

const callerId = (caller: Caller): string => (caller.kind === "key" ? caller.keyId : caller.userId);

/** Checks the header's form. Throws BAD_REQUEST. */
function assertKeyForm(key: string): void {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw new AppError("BAD_REQUEST", "Idempotency-Key: must be 1 to 255 visible ASCII characters", {
    param: "Idempotency-Key",
  });
}

interface Row {
  readonly body_digest: string;
  readonly answer: string | null;
  /** The first request started so long ago that it cannot be in progress any more. */
  readonly over: boolean;
}

const cutOff = () =>
  new AppError(
    "CONFLICT",
    "The first request with this Idempotency-Key was interrupted. Check what it did before you send it with another key",
    { headers: { "x-should-retry": "false" } },
  );

/** Answers retries of a caller's request with the first answer, for 24 hours. */
export class Idempotency {
  readonly #database: Database;
  readonly #log: Log;
  readonly #sealer: Sealer;

  constructor(database: Database, sealer: Sealer, log: Log) {
    this.#database = database;
    this.#log = log;
    this.#sealer = sealer;
  }

  /**
   * Begins a request that may be a retry. Throws UNPROCESSABLE if the key came with another body, CONFLICT while the
   * first request is in progress or if its answer was lost.
   */
  async begin(retryable: Retryable): Promise<FirstRequest | Repeated> {
    assertKeyForm(retryable.key);
    return asInteractive(retryable.caller.orgId, () => this.#begin(retryable));
  }

  async #begin({ caller, route, key, body }: Retryable): Promise<FirstRequest | Repeated> {
    const { orgId } = caller;
    // Keys are separate for each caller, because an answer may contain a secret of the caller.
    const id = { org_id: orgId, route, key: sha256(`${callerId(caller)}:${key}`) };
    const digest = sha256(body);
    if (!(await this.#insert(id, callerId(caller), digest))) return this.#repeat(id, digest);
    const { idempotent_request: requests } = this.#database.prisma;
    const store = (text: string) => {
      const answer = this.#sealer.seal(text, placeOf(id));
      return this.#store(orgId, () => requests.updateMany({ where: id, data: { answer } }));
    };
    return {
      replay: null,
      store: (answer) => store(JSON.stringify(answer)),
      lose: () => store(lost),
      release: () => this.#store(orgId, () => requests.deleteMany({ where: id })),
    };
  }

  /**
   * Stores how a first request ended, after it was answered. While the database is unavailable this is retried for
   * some time; until then a retry gets the answer that the request is in progress.
   */
  async #store(orgId: string, write: () => Promise<unknown>): Promise<void> {
    const attempt = () => inBackground(() => asInteractive(orgId, write));
    try {
      await attempt();
    } catch (error) {
      this.#log.warn({ event: "idempotency", error }, "The end of a request will be stored later");
      void this.#storeLater(attempt);
    }
  }

  async #storeLater(attempt: () => Promise<unknown>): Promise<void> {
    const { finishEveryMs, finishAttempts } = limits.idempotency;
    for (let at = 1; at <= finishAttempts; at++) {
      await wait(finishEveryMs, undefined, { ref: false });
      const error = await attempt().then(
        () => null,
        (failure: unknown) => failure,
      );
      if (error === null) return;
      if (at === finishAttempts)
        this.#log.warn({ event: "idempotency", error }, "An answer could not be stored");
    }
  }

  async #insert(id: Id, caller: string, digest: string): Promise<boolean> {
    const seconds = limits.idempotency.retentionMs / 1000;
    const inserted = await this.#database.prisma.$executeRaw`
      with expired as (
        delete from idempotent_request where expires_at < now() and key <> ${id.key}
      )
      insert into idempotent_request as stored (org_id, route, key, caller_id, body_digest, expires_at)
      values (${id.org_id}::uuid, ${id.route}, ${id.key}, ${caller}, ${digest}, now() + make_interval(secs => ${seconds}))
      on conflict (org_id, route, key) do update
      set body_digest = excluded.body_digest, answer = null, expires_at = excluded.expires_at
      where stored.expires_at < now()`;
    return inserted > 0;
  }

  async #repeat(id: Id, digest: string): Promise<Repeated> {
    const { retentionMs, underWayMs } = limits.idempotency;
    const restSeconds = (retentionMs - underWayMs) / 1000;
    const [row] = await this.#database.prisma.$queryRaw<Row[]>`
      select body_digest, answer, expires_at < now() + make_interval(secs => ${restSeconds}) as over
      from idempotent_request
      where org_id = ${id.org_id}::uuid and route = ${id.route} and key = ${id.key}`;
    if (row && row.body_digest !== digest) {
      throw new AppError("UNPROCESSABLE", "Idempotency-Key: was used with another body", {
        param: "Idempotency-Key",
      });
    }
    if (row?.over && !row.answer) throw cutOff();
    if (!row?.answer) {
      throw new AppError("CONFLICT", "The first request with this Idempotency-Key is still in progress", {
        headers: { "retry-after": "1" },
      });
    }
    const text = this.#sealer.open(row.answer, placeOf(id));
    if (text === lost) throw cutOff();
    return { replay: StoredAnswer.parse(JSON.parse(text)) };
  }
}

interface Id {
  readonly org_id: string;
  readonly route: string;
  readonly key: string;
}

const placeOf = ({ org_id, route, key }: Id): SealedPlace => ({
  table: "idempotent_request",
  column: "answer",
  rowId: `${route}|${key}`,
  orgId: org_id,
});
