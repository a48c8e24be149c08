import { expect, test, vi } from "vitest";
import type { SeenRequest } from "#server/sandbox/index.ts";
import { faultyModels } from "./overlay.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer({ overlay: faultyModels({ slow: { fr: "slow:10" } }) });

const clients = 500;
const atOnce = 50;

async function seen(): Promise<SeenRequest[]> {
  const address = server.services.catalogues.of(null).providers.get("sandbox-fr")?.baseUrl ?? "";
  const response = await fetch(`${new URL(address).origin}/__sandbox/requests`);
  return ((await response.json()) as { data: SeenRequest[] }).data;
}

/** Reads some events of a stream that would take seconds, and leaves. */
async function leaveAfter(events: number): Promise<void> {
  const leaving = new AbortController();
  const response = await server.post(
    "/chat/completions",
    { model: "test/slow", messages: [{ role: "user", content: "Tell me" }], max_tokens: 400, stream: true },
    { signal: leaving.signal },
  );
  expect(response.status).toBe(200);
  const reader = response.body?.getReader();
  for (let read = 0; read < events; read++) await reader?.read();
  leaving.abort();
}

test(`after ${clients} clients left a stream somewhere, no provider request lasts a second longer`, async () => {
  for (let begun = 0; begun < clients; begun += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, (_, index) => leaveAfter(((begun + index) * 7) % 20)));
    const open = async () => (await seen()).filter(({ outcome }) => outcome === "open");
    await vi.waitFor(async () => expect(await open()).toEqual([]), { timeout: 1_000, interval: 100 });
  }
  const outcomes = (await seen()).map(({ outcome }) => outcome);
  expect(outcomes.filter((outcome) => outcome === "client_gone").length).toBeGreaterThan(0);
  expect(outcomes.every((outcome) => outcome === "client_gone" || outcome === "completed")).toBe(true);
}, 90_000);
