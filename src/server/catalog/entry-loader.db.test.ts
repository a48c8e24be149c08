import { expect, test } from "vitest";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";
import { createEntryLoader } from "./entry-loader.ts";

const { database } = await openTestDatabase();
const { prisma } = database;

/** Loads with a count of the bodies that were read. */
function counting() {
  let bodies = 0;
  const counted = prisma.$extends({
    query: {
      catalogue_entry: {
        async findMany({ args, query }) {
          const rows = await query(args);
          bodies += rows.filter((row) => "body" in row).length;
          return rows;
        },
      },
    },
  });
  const load = createEntryLoader(() => {});
  return async () => {
    bodies = 0;
    // The extension adds nothing to the client's type that the loader uses.
    const layers = await load(counted as unknown as typeof prisma);
    return { layers, bodies };
  };
}

test("only entries that changed are read again, and layers have all entries in their order", async () => {
  const organisation = await createOrganisation(database);
  const add = (name: string, scope = "organisation") =>
    prisma.catalogue_entry.create({
      data: { org_id: organisation.orgId, scope, section: "model", name, body: { id: name } },
    });
  const first = await add("own/a");
  await add("own/b");
  await add("shared/c", "installation");
  const load = counting();
  const namesOf = ({ layers }: Awaited<ReturnType<typeof load>>) => [
    layers.installation.rows.map(({ name }) => name),
    layers.of(organisation.orgId)?.rows.map(({ name }) => name),
  ];
  const loaded = await load();
  expect([loaded.bodies, ...namesOf(loaded)]).toEqual([3, ["shared/c"], ["own/a", "own/b"]]);
  expect((await load()).bodies).toBe(0);
  await prisma.catalogue_entry.update({
    where: { id: first.id },
    data: { body: { id: "own/a", name: "A" }, updated_at: new Date(first.updated_at.getTime() + 1) },
  });
  const again = await load();
  expect([again.bodies, again.layers.of(organisation.orgId)?.rows[0]?.body.name]).toEqual([1, "A"]);
  await prisma.catalogue_entry.delete({ where: { id: first.id } });
  const last = await load();
  expect([last.bodies, ...namesOf(last)]).toEqual([0, ["shared/c"], ["own/b"]]);
});
