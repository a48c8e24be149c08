// A house that one believes: some keys, a month of office hours, and providers that have credentials.
import { makeHistory } from "#test/history.ts";
import { startWith } from "./start-with.ts";

const connected = ["mistral", "scaleway", "ovhcloud", "ionos", "nebius", "together", "groq", "deepinfra"];
for (const slug of connected)
  process.env[`${slug.toUpperCase()}_API_KEY`] = "nobody is asked for these pictures";

await startWith(async (database, owner) => {
  await makeHistory(database, { ...owner, generations: 24_000, rules: 0, keys: 5, officeHours: true });
  await database.prisma.organisation.update({
    where: { id: owner.orgId },
    data: { name: "Stadtwerke Musterstadt" },
  });
});
