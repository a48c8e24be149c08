import { expect, test } from "vitest";
import { createCaller } from "#server/api/root.ts";
import { until } from "#test/until.ts";
import { faultyModels } from "./overlay.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer({
  overlay: faultyModels({ good: { fr: "ok" }, bad: { fr: "500", de: "500" } }),
});
const { services, post, key } = server;

const ask = async (model: string): Promise<number> => {
  const body = { model: `test/${model}`, prompt: "x", max_tokens: 2, provider: { allow_fallbacks: true } };
  const response = await post("/completions", body);
  await response.text();
  return response.status;
};

/** The health of a provider as the console shows it. */
async function healthOf(slug: string) {
  const caller = services.authenticate({ authorization: `Bearer ${key}` });
  const signal = AbortSignal.timeout(10_000);
  const procedures = createCaller({ services, caller, requestId: "health", ipAddress: null, signal });
  const { data } = await procedures.catalogue.health({});
  return data.find((provider) => provider.slug === slug);
}

test("a provider is as healthy as all its attempts together, not as its worst endpoint", async () => {
  expect(await healthOf("sandbox-fr")).toMatchObject({ measured: false, cooling: false, health: 1 });
  for (let at = 0; at < 9; at++) expect(await ask("good")).toBe(200);
  expect(await ask("bad")).toBe(502);
  // Measurements are read once a second.
  await until(async () => {
    const { health, cooling, measured } = (await healthOf("sandbox-fr")) ?? {};
    expect(health).toBeCloseTo(0.9, 5);
    expect([cooling, measured]).toEqual([false, true]);
  });
  // All that was tried of it fails.
  expect(await healthOf("sandbox-de")).toMatchObject({ cooling: true, health: 0 });
});
