// npm run secrets:purge: if an encryption key is lost, lists what can no longer be read, and deletes it with --yes.
import { parseArgs } from "node:util";
import { createSealer } from "#server/platform/sealing.ts";
import { findUnreadable, purgeUnreadable } from "#server/secrets/index.ts";
import { createLogSigner, restartLogs } from "#server/transparency/index.ts";
import { offline } from "./offline.ts";

const { values } = parseArgs({ options: { yes: { type: "boolean", default: false } } });

await offline(async (database, { encryptionKeys }) => {
  const sealer = createSealer(encryptionKeys);
  const { servedUntil, keyIds, losses } = await findUnreadable(database, sealer);
  if (keyIds.length === 0) {
    process.stdout.write("All keys that secrets are encrypted with are available: nothing is lost.\n");
    return 0;
  }
  process.stdout.write(`Encrypted with ${keyIds.join(" and ")}, which the settings do not contain:\n`);
  if (losses.length === 0) process.stdout.write("  nothing that still exists\n");
  for (const { what, count } of losses) process.stdout.write(`${String(count).padStart(9)} ${what}\n`);
  if (!values.yes) {
    process.stdout.write(
      "Nothing was deleted. To delete these permanently and start without them, stop every process and run this again with --yes.\n",
    );
    return 1;
  }
  if (servedUntil) {
    process.stderr.write(
      `Nothing was deleted: a process uses this database, or did so recently. Stop every process. A process that was killed holds credit until ${servedUntil}.\n`,
    );
    return 1;
  }
  await purgeUnreadable(database, sealer);
  await restartLogs(database, createLogSigner(encryptionKeys));
  process.stdout.write("Deleted. Add credentials and destinations again after the next start.\n");
  return 0;
});
