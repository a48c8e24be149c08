import { join } from "node:path";
import { type Billing, openBilling } from "#server/billing/index.ts";
import { openUpkeep } from "#server/budgets/index.ts";
import { recordCredentialUse } from "#server/credentials/index.ts";
import { type Destinations, openDestinations } from "#server/destinations/index.ts";
import { recordKeyUse } from "#server/keys/index.ts";
import { limits } from "#server/platform/limits.ts";
import { bookTags } from "#server/tags/index.ts";
import { logGenerations } from "#server/transparency/index.ts";
import type { Accounts } from "./accounts.ts";
import type { Opening } from "./opening.ts";
import type { Prepared } from "./prepare.ts";
import type { Storage } from "./storage.ts";

export interface Money {
  readonly billing: Billing;
  readonly destinations: Destinations;
}

/** Opens ledger, credit and spool, and the destinations that get generations in the same transaction. */
export async function openMoney(
  { config, log, metrics, shutdown }: Opening,
  { database, queue }: Storage,
  { sealer, outboundToDestinations: outbound }: Prepared,
  { snapshot, authentication }: Accounts,
): Promise<Money> {
  const destinations = openDestinations(
    { database, queue, sealer, log, metrics, outbound },
    () => snapshot.value().destinations,
    (keyId) => {
      const caller = authentication.callerOfKey(keyId);
      return caller?.kind === "key" ? caller.keyName : "";
    },
  );
  // Billing closes first: its last generations may still wait for filters.
  shutdown.add("destinations", () => destinations.close());
  const billing = await openBilling(
    database,
    {
      spoolDirectory: join(config.dataDir, "spool"),
      sync: config.SPOOL_SYNC,
      isAlone: !config.DATABASE_URL,
      leaseTtlMs: config.CREDIT_LEASE_TTL * 1000,
      // The embedded database does not sync what it commits (ADR 13).
      bookedRetentionMs: config.DATABASE_URL ? 0 : limits.spool.bookedRetentionMs,
      outbox: destinations.outbox,
      writers: [recordKeyUse, recordCredentialUse, bookTags],
      logReceipts: logGenerations,
    },
    log,
    metrics,
  );
  shutdown.add("budgets", openUpkeep(database, log));
  shutdown.add("billing", () => billing.close());
  await billing.warm(new Set([...snapshot.value().keys.values()].map(({ caller }) => caller.orgId)));
  return { billing, destinations };
}
