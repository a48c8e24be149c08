// npm run secrets:forget: when the encryption key is lost, tells what cannot be read any more, and with --yes deletes it.
import { parseArgs } from "node:util";
import { createSealer } from "#server/platform/sealing.ts";
import { findLost, forgetLost } from "#server/secrets/index.ts";
import { offline } from "./offline.ts";

const { values } = parseArgs({ options: { yes: { type: "boolean", default: false } } });

await offline(async (database, { encryptionKeys }) => {
  const sealer = createSealer(encryptionKeys);
  const { servedUntil, keyIds, losses } = await findLost(database, sealer);
  if (keyIds.length === 0) {
    process.stdout.write("Every key that secrets are sealed with is there: nothing is lost.\n");
    return 0;
  }
  process.stdout.write(`Sealed with ${keyIds.join(" and ")}, which the settings do not hold:\n`);
  if (losses.length === 0) process.stdout.write("  nothing that is still there\n");
  for (const { what, count } of losses) process.stdout.write(`${String(count).padStart(9)} ${what}\n`);
  if (!values.yes) {
    process.stdout.write(
      "Nothing was deleted. To delete these for good and start without them: stop every process, then the same with --yes.\n",
    );
    return 1;
  }
  if (servedUntil) {
    process.stderr.write(
      `Nothing was deleted: a process serves over this database, or did a short while ago. Stop every process; one that was killed holds credit until ${servedUntil}.\n`,
    );
    return 1;
  }
  await forgetLost(database, sealer);
  process.stdout.write("Deleted. Add credentials and destinations anew after the next start.\n");
  return 0;
});
