// npm run audit:verify: verifies the audit log and the transparency log and exits with 1 if one of them is not valid.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { verifyAudit } from "#server/audit/verify.ts";
import {
  createLogSigner,
  readCheckpoint,
  type StoredCheckpoint,
  verifyLogs,
} from "#server/transparency/index.ts";
import { offline } from "./offline.ts";

const { values } = parseArgs({ options: { checkpoint: { type: "string", multiple: true, default: [] } } });

const checkpoints: StoredCheckpoint[] = [];
for (const file of values.checkpoint) {
  const found = readCheckpoint(readFileSync(file, "utf8"));
  if (!found) {
    process.stderr.write(`${file} is not a checkpoint of a transparency log\n`);
    process.exit(2);
  }
  checkpoints.push(found);
}

await offline(async (database, { encryptionKeys }) => {
  const { organisations, rows, broken } = await verifyAudit(database);
  for (const { orgId, position, problem } of broken) {
    process.stdout.write(`Broken: organisation ${orgId}, row ${position}: ${problem}\n`);
  }
  process.stdout.write(`${rows} rows of ${organisations} organisations verified.\n`);
  const { logs, entries, deleted, changed } = await verifyLogs(
    database,
    createLogSigner(encryptionKeys),
    checkpoints,
  );
  for (const { orgId, problem } of changed)
    process.stdout.write(`Changed: transparency log of organisation ${orgId}: ${problem}\n`);
  process.stdout.write(`${entries} entries of ${logs} transparency logs verified.\n`);
  if (deleted > 0)
    process.stdout.write(
      `${deleted} requests in them were deleted by the retention and cannot be compared.\n`,
    );
  return broken.length + changed.length === 0 ? 0 : 1;
});
