import { operatorSystem } from "#server/accounts/index.ts";
import type { Services } from "#server/api/services.ts";
import { signOnce } from "#server/audit/first-signing.ts";
import { type BudgetIndex, loadBudgetIndex } from "#server/budgets/index.ts";
import type { BaseCatalogue, EntryLayers, PriceOverrides } from "#server/catalog/index.ts";
import { createBaseLoader, createEntryLoader, loadPriceOverrides } from "#server/catalog/index.ts";
import type { CredentialVault } from "#server/credentials/index.ts";
import { loadCredentialVault } from "#server/credentials/index.ts";
import { freshnessOf, openSnapshot, type Snapshot } from "#server/db/index.ts";
import type { DestinationIndex } from "#server/destinations/index.ts";
import { loadDestinationIndex } from "#server/destinations/index.ts";
import {
  actingFor,
  authenticateKey,
  callerOfKey,
  credentialOf,
  type KeyDirectory,
  loadKeyDirectory,
} from "#server/keys/index.ts";
import { clock } from "#server/platform/clock.ts";
import { loadRuleIndex, type RuleIndex } from "#server/policy/index.ts";
import { createPresetLoader, type PresetIndex } from "#server/presets/index.ts";
import { assertSealingKeys } from "#server/secrets/index.ts";
import { loadTagIndex, type TagIndex } from "#server/tags/index.ts";
import { type FirstStart, firstStart } from "./first-start.ts";
import type { Opening } from "./opening.ts";
import type { Prepared } from "./prepare.ts";
import type { Storage } from "./storage.ts";

/** The data of the database that is held in memory. */
export interface Configuration {
  readonly keys: KeyDirectory;
  readonly rules: RuleIndex;
  readonly destinations: DestinationIndex;
  readonly priceOverrides: PriceOverrides;
  readonly entryLayers: EntryLayers;
  readonly baseCatalogue: BaseCatalogue;
  readonly own: CredentialVault;
  readonly budgets: BudgetIndex;
  readonly tags: TagIndex;
  readonly presets: PresetIndex;
}

export interface Accounts {
  /** The credentials to show on the terminal; null once shown. */
  readonly first: FirstStart | null;
  readonly snapshot: Snapshot<Configuration>;
  readonly authentication: Pick<Services, "authenticate" | "callerOfKey">;
}

function authenticationBy(
  snapshot: Snapshot<Configuration>,
  { config }: Opening,
): Accounts["authentication"] {
  const freshness = () => freshnessOf(snapshot.ageMs(), config.CONFIG_MAX_STALENESS);
  return {
    authenticate(headers) {
      const apiKey = headers["x-api-key"];
      const key = credentialOf(headers.authorization, typeof apiKey === "string" ? apiKey : undefined);
      if (key === null) return null;
      const check = { prefix: config.KEY_PREFIX, directory: snapshot.value().keys, freshness: freshness() };
      return actingFor(authenticateKey(key, check), headers["x-org-id"]);
    },
    callerOfKey: (id) => callerOfKey(snapshot.value().keys, id, clock.nowMs()),
  };
}

/** Creates the first administrator if there is none, and loads keys, rules and everything else that requests need. */
export async function openAccounts(
  opening: Opening,
  { database, connection }: Storage,
  { sealer, catalogueFiles }: Prepared,
): Promise<Accounts> {
  const { config, log, shutdown } = opening;
  await assertSealingKeys(database, sealer, config);
  await signOnce({ database, dataDir: config.dataDir, log, operator: operatorSystem });
  const first = await firstStart(database, connection, config);
  if (first) shutdown.add("first start", first.release);
  const { reportRow: report } = database;
  const loadEntryLayers = createEntryLoader(report);
  const loadPresets = createPresetLoader(report);
  const loadBase = createBaseLoader(catalogueFiles, log);
  const snapshot = await openSnapshot(
    database,
    async (prisma) => ({
      keys: await loadKeyDirectory(prisma, config.RATE_LIMIT_KEY),
      rules: await loadRuleIndex(prisma, report),
      destinations: await loadDestinationIndex(prisma, report),
      priceOverrides: await loadPriceOverrides(prisma, report),
      entryLayers: await loadEntryLayers(prisma),
      baseCatalogue: await loadBase(prisma),
      own: await loadCredentialVault(prisma, sealer, report),
      budgets: await loadBudgetIndex(prisma, report),
      tags: await loadTagIndex(prisma),
      presets: await loadPresets(prisma),
    }),
    log,
  );
  shutdown.add("snapshot", () => snapshot.close());
  return { first, snapshot, authentication: authenticationBy(snapshot, opening) };
}
