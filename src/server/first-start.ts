import { createFirstAdministrator } from "#server/accounts/index.ts";
import { permissions } from "#server/auth/permissions.ts";
import { grantCredit } from "#server/billing/index.ts";
import type { Database } from "#server/db/index.ts";
import { mintKey, storeKey } from "#server/keys/index.ts";
import type { Config } from "#server/platform/env.ts";
import { picoFromDecimal } from "#server/platform/money.ts";

const startingCreditEur = "10";

export interface FirstStart {
  readonly email: string;
  readonly generatedPassword: string | null;
  readonly key: string;
}

/** On an empty database: the first administrator, an organisation with starting credit and an API key. */
export async function firstStart(database: Database, config: Config): Promise<FirstStart | null> {
  const key = config.ADMIN_API_KEY ?? mintKey(config.KEY_PREFIX);
  const made = await createFirstAdministrator(database, config, async (tx, { caller, orgId, userId }) => {
    await grantCredit(tx, caller, orgId, picoFromDecimal(startingCreditEur), "Starting credit");
    await storeKey(tx, caller, key, config.KEY_PREFIX, { name: "First key", orgId, userId, permissions });
  });
  return made && { email: made.email, generatedPassword: made.generatedPassword, key };
}

/** What the terminal shows once the server listens; secrets only on the very first start. */
export function welcome(origin: string, first: FirstStart | null): string {
  if (!first) return `\n  Portolan serves at ${origin}\n\n`;
  const { email, generatedPassword, key } = first;
  return `
  Portolan serves at ${origin}

  Console    ${origin}
  Sign in    ${email} / ${generatedPassword ?? "the password of ADMIN_PASSWORD"}
  API key    ${key}

  This is shown once. Try it:

  curl ${origin}/api/v1/completions \\
    -H "Authorization: Bearer ${key}" \\
    -H "Content-Type: application/json" \\
    -d '{"model": "sandbox/chat", "prompt": "Say hello to Europe.", "max_tokens": 32}'

`;
}
