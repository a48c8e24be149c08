// npm run audit:verify: walks the audit log's chains and exits with 1 when a row does not hold.
import { verifyAudit } from "#server/audit/verify.ts";
import { offline } from "./offline.ts";

await offline(async (database) => {
  const { organisations, rows, broken } = await verifyAudit(database);
  for (const { orgId, position, problem } of broken) {
    process.stdout.write(`Broken: organisation ${orgId}, row ${position}: ${problem}\n`);
  }
  process.stdout.write(`${rows} rows of ${organisations} organisations hold.\n`);
  return broken.length === 0 ? 0 : 1;
});
