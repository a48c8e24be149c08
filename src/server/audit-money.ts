// npm run audit:money: checks that every cent is where the records say, and exits with 1 when one is not.
import { parseArgs } from "node:util";
import { auditMoney, unbookedGenerations } from "#server/billing/index.ts";
import { offline } from "./offline.ts";

const { values } = parseArgs({ options: { quiescent: { type: "boolean", default: false } } });

await offline(async (database, { dataDir }) => {
  const findings = await auditMoney(database, values);
  const spooled = await unbookedGenerations(database, dataDir);
  const waiting = values.quiescent && spooled > 0;
  for (const { invariant, broken, examples } of findings) {
    process.stdout.write(
      broken === 0
        ? `holds   ${invariant}\n`
        : `BROKEN  ${invariant}: ${broken}, such as ${examples.join(", ")}\n`,
    );
  }
  process.stdout.write(`${waiting ? "BROKEN " : "       "} ${spooled} generations are in the spool only\n`);
  return waiting || findings.some(({ broken }) => broken > 0) ? 1 : 0;
});
