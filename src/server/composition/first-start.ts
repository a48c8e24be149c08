import { permissions } from "#server/access/permissions.ts";
import { finishFirstStart, isFirstStartOver, prepareFirstAdministrator } from "#server/accounts/index.ts";
import { grantCredit } from "#server/billing/index.ts";
import { type Database, takeSessionLock } from "#server/db/index.ts";
import { mintKey, replaceKey, storeKey } from "#server/keys/index.ts";
import type { Config } from "#server/platform/env.ts";
import { limits } from "#server/platform/limits.ts";
import { picoFromDecimal } from "#server/platform/money.ts";

const startingCreditEur = "10";

export interface FirstStart {
  readonly email: string;
  readonly generatedPassword: string | null;
  readonly key: string;
  /** Call it once they were shown: then password and key are not replaced any more. */
  finish(): Promise<void>;
  /** Lets another process try; what was not shown is created again then. */
  release(): Promise<void>;
}

/**
 * Locked from before the credentials are created until they were shown, so that two processes never show different
 * ones.
 */
const firstStartLock = 7_261_145_524;

/**
 * On an empty database: creates the first administrator, an organisation with starting credit and an API key. The
 * next start creates them again if this one ends before it has shown them. Null if the first start is done.
 */
export async function firstStart(
  database: Database,
  connection: Parameters<typeof takeSessionLock>[0],
  config: Config,
): Promise<FirstStart | null> {
  if (await isFirstStartOver(database)) return null;
  const lock = await takeSessionLock(connection, firstStartLock, limits.firstStart.othersTimeoutMs);
  if (!lock) return null;
  let held = true;
  const release = async () => {
    if (held) await lock.release();
    held = false;
  };
  try {
    const key = config.ADMIN_API_KEY ?? mintKey(config.KEY_PREFIX);
    const made = await prepareFirstAdministrator(database, config, {
      async addStartingCredit(tx, { caller, orgId }) {
        await grantCredit(tx, caller, orgId, picoFromDecimal(startingCreditEur), "Starting credit");
      },
      storeFirstKey(tx, { caller, orgId, userId }, replacedId) {
        const grant = { name: "First key", orgId, userId, permissions };
        return replacedId === null
          ? storeKey(tx, caller, key, config.KEY_PREFIX, grant)
          : replaceKey(tx, caller, replacedId, key, config.KEY_PREFIX, grant);
      },
    });
    if (!made) {
      await release();
      return null;
    }
    const finish = async () => {
      await finishFirstStart(database);
      await release();
    };
    return { ...made, key, finish, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** The text on the terminal once the server listens; with secrets only on the first start. */
export function welcome(origin: string, first: FirstStart | null): string {
  if (!first) return `\n  Portolan is running at ${origin}\n\n`;
  const { email, generatedPassword, key } = first;
  return `
  Portolan is running at ${origin}

  Console    ${origin}
  Sign in    ${email} / ${generatedPassword ?? "the password of ADMIN_PASSWORD"}
  API key    ${key}

  This is shown once. Try it:

  curl ${origin}/api/v1/chat/completions \\
    -H "Authorization: Bearer ${key}" \\
    -H "Content-Type: application/json" \\
    -d '{"model": "sandbox/chat", "messages": [{"role": "user", "content": "Say hello to Europe."}]}'

`;
}
