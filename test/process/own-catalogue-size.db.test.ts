import { expect, test } from "vitest";
import { limits } from "#server/platform/limits.ts";
import { startWithOwnServers } from "./own-provider-client.ts";
import { refusal } from "./rule-client.ts";

const { services, us, add } = await startWithOwnServers();

test("an organisation's entries cannot fill the memory of every process", async () => {
  const models = (from: number) => ({
    models: Array.from({ length: 95 }, (_, at) => ({
      id: `own/${from + at}`,
      description: "x".repeat(3_900),
    })),
  });
  const [first] = await add(us, models(0));
  await add(us, models(100));
  const before = await services.database.prisma.catalogue_entry.count();
  const refused = await us.post("/catalogue-entries", models(200));
  expect((await refusal(refused, 409, null)).message).toContain(
    `${limits.catalogue.layerBytesMax.organisation} bytes`,
  );
  expect(await services.database.prisma.catalogue_entry.count()).toBe(before);
  expect((await us.send("DELETE", `/catalogue-entries/${first?.id}`)).status).toBe(200);
});
