import fc from "fast-check";
import { expect, test } from "vitest";
import { picoFromDecimal } from "#server/platform/money.ts";
import { directoryOfFile } from "#test/directories.ts";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";
import { ModelLedger } from "#test/ledger-model.ts";
import { endAll, lives } from "#test/ledger-steps.ts";
import { RealLedger } from "#test/real-ledger.ts";
import { auditMoney } from "./audit-money.ts";

/** `npm run test:money` runs many more; MONEY_MODEL sets the number of sequences. */
const { MONEY_MODEL: asked, MONEY_SEED: replayed = "" } = process.env;
/** `MONEY_SEED=seed:path`, printed by a failure, repeats that sequence. */
const [seed, ...path] = replayed.split(":");
const long = asked !== undefined;
const sequences = asked === "long" ? 2_000 : Number(asked ?? 6);
const steps = 50;

const { database, another } = await openTestDatabase();
const directory = directoryOfFile();
const databases = [database, another(), another()];

test(`${sequences} random sequences with up to three processes agree with the reference ledger`, {
  timeout: long ? 5_400_000 : 120_000,
}, async () => {
  const done: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(lives(steps), async (commands) => {
      const organisation = await createOrganisation(database, { creditEur: "1" });
      const real = new RealLedger(databases, organisation, directory);
      const model = new ModelLedger(picoFromDecimal("1"), steps);
      try {
        await fc.asyncModelRun(() => ({ model, real }), commands);
        await endAll(model, real);
      } finally {
        await real.close();
      }
      for (const name of model.done) done[name] = (done[name] ?? 0) + 1;
    }),
    // The short form uses fixed seeds, so that every required event below occurs in it.
    {
      numRuns: sequences,
      endOnFailure: true,
      ...(!long && { seed: 20_261_122 }),
      ...(seed && { seed: Number(seed), path: path.join(":") }),
    },
  );
  expect((await auditMoney(database, { quiescent: true })).filter(({ broken }) => broken > 0)).toEqual([]);
  // A run without one of these events would prove nothing about it.
  for (const name of [
    "top-up",
    "take",
    "hold",
    "refused",
    "finish",
    "overrun",
    "pause",
    "void",
    "crash",
    "expire",
    "replay",
    "again",
  ])
    expect(done[name] ?? 0, name).toBeGreaterThan(0);
  process.stdout.write(`${sequences} sequences: ${JSON.stringify(done)}; 0 divergences\n`);
});
