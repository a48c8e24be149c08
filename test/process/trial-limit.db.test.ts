import { expect, test, vi } from "vitest";
import { clock } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { newOrganisation } from "./people.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer({ settings: { RATE_LIMIT_TEST: "10" } });

/** The middle of a window: a burst does not meet its end, however slow the machine. */
vi.spyOn(clock, "nowMs").mockReturnValue(60_000 * 29_000_000 + 20_000);

test("an organisation tries destinations and credentials ten times a minute, all of them together", async () => {
  const [own, other] = [await newOrganisation(server), await newOrganisation(server)];
  const config = { endpoint: "https://127.0.0.1:9" };
  const unsaved = () =>
    server.post("/broadcast-destinations/test", { type: "otel-collector", config }, { key: own.key });
  const saved = () => server.post(`/broadcast-destinations/${uuidv7()}/test`, {}, { key: own.key });
  const credential = (key = own.key) => server.post(`/byok/${uuidv7()}/check`, {}, { key });
  const statuses: number[] = [];
  for (const ask of [
    unsaved,
    saved,
    credential,
    unsaved,
    saved,
    credential,
    unsaved,
    saved,
    credential,
    unsaved,
  ])
    statuses.push((await ask()).status);
  expect(statuses).toEqual([200, 404, 404, 200, 404, 404, 200, 404, 404, 200]);
  for (const ask of [unsaved, saved, credential]) {
    const refused = await ask();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "40"]);
    expect(await refused.json()).toMatchObject({
      error: { metadata: { limit: "test", requests_per_minute: 10 } },
    });
  }
  expect((await credential(other.key)).status).toBe(404);
  expect((await server.send("GET", "/broadcast-destinations", { key: own.key })).status).toBe(200);
});
