// npm run audit:money: checks that all money agrees with the records, and exits with 1 if any does not.
import { parseArgs } from "node:util";
import { auditMoney, unbookedGenerations } from "#server/billing/index.ts";
import { offline } from "./offline.ts";

const { values } = parseArgs({ options: { quiescent: { type: "boolean", default: false } } });

await offline(async (database, { dataDir }) => {
  const findings = await auditMoney(database, values);
  const spooled = await unbookedGenerations(database, dataDir);
  const waiting = values.quiescent && spooled > 0;
  for (const { invariant, broken, noticed, examples } of findings) {
    const some = `such as ${examples.join(", ")}`;
    if (broken > 0) process.stdout.write(`BROKEN  ${invariant}: ${broken}, ${some}\n`);
    else if (noticed === null) process.stdout.write(`holds   ${invariant}\n`);
    else if (noticed > 0) process.stdout.write(`note    ${noticed} ${invariant}, ${some}\n`);
  }
  process.stdout.write(`${waiting ? "BROKEN " : "       "} ${spooled} generations are in the spool only\n`);
  return waiting || findings.some(({ broken }) => broken > 0) ? 1 : 0;
});
