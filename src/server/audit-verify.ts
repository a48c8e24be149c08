// npm run audit:verify: verifies the chains of the audit log and exits with 1 if a row is not valid.
import { verifyAudit } from "#server/audit/verify.ts";
import { offline } from "./offline.ts";

await offline(async (database) => {
  const { organisations, rows, broken } = await verifyAudit(database);
  for (const { orgId, position, problem } of broken) {
    process.stdout.write(`Broken: organisation ${orgId}, row ${position}: ${problem}\n`);
  }
  process.stdout.write(`${rows} rows of ${organisations} organisations verified.\n`);
  return broken.length === 0 ? 0 : 1;
});
