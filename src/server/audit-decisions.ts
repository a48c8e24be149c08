// npm run audit:decisions: makes recorded routing decisions again and exits with 1 if one is not reproduced.
import { parseArgs } from "node:util";
import { replayAll } from "#server/evidence/index.ts";
import { offline } from "./offline.ts";

const { values } = parseArgs({ options: { since: { type: "string", default: "2000-01-01" } } });
const sinceMs = Date.parse(`${values.since}T00:00:00Z`);
if (!/^\d{4}-\d\d-\d\d$/.test(values.since) || Number.isNaN(sinceMs)) {
  process.stderr.write("--since must be a day such as 2026-11-01\n");
  process.exit(2);
}

await offline(async (database) => {
  const { identical, notReplayable, different } = await replayAll(database, sinceMs, (count) => {
    if (process.stdout.isTTY) process.stdout.write(`${count} requests …\r`);
  });
  for (const { orgId, id } of different)
    process.stdout.write(`Different: the decision about the request ${id} of organisation ${orgId}\n`);
  process.stdout.write(`${identical} decisions were made again with the same result.\n`);
  if (notReplayable > 0)
    process.stdout.write(
      `${notReplayable} cannot be made again: another version made them, or their inputs are not stored.\n`,
    );
  return different.length === 0 ? 0 : 1;
});
