import { afterEach, expect, vi } from "vitest";
import { dataList } from "#contract/common.ts";
import { Delivery } from "#contract/destination.ts";
import { decodeOtlp } from "#test/destinations/otlp.ts";
import { startRecorder } from "#test/destinations/recorder.ts";
import { destinationClient, One } from "./destination-client.ts";
import { newOrganisation } from "./people.ts";
import { answer } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

export const chat = {
  model: "sandbox/chat",
  messages: [{ role: "user", content: "Name a river of Europe." }],
};

/** A server with one organisation, a receiver of traces, and calls to both. Destinations end with their test. */
export async function startBroadcasting() {
  const server = await startTestServer({
    settings: { ALLOW_PRIVATE_DESTINATIONS: "127.0.0.1" },
    overlay: {
      models: [{ id: "test/long", context_length: 20_000_000 }],
      endpoints: [
        {
          provider: "sandbox-fr",
          model: "test/long",
          upstream_model: "sandbox/chat",
          price: { currency: "EUR", input: "0", output: "0" },
        },
      ],
    },
  });
  const ours = await newOrganisation(server);
  const sink = await startRecorder();

  const call = destinationClient(server, ours.key);
  const made: string[] = [];
  async function create(body: object): Promise<string> {
    const all = { name: "Sink", type: "otel-collector", config: { endpoint: sink.origin }, ...body };
    const { id } = (await answer(One, await call("POST", "", all), 201)).data;
    made.push(id);
    return id;
  }
  afterEach(async () => {
    for (const id of made.splice(0)) await call("DELETE", `/${id}`);
    sink.seen.length = 0;
    sink.reply = () => ({ status: 200, body: "{}" });
  });

  async function ask(body: object, key = ours.key): Promise<string> {
    const paths = {
      messages: "/chat/completions",
      query: "/rerank",
      instructions: "/responses",
      prompt: "/completions",
    };
    const known = Object.entries(paths).find(([field]) => field in body);
    const path =
      known?.[1] ?? (Array.isArray((body as { input: unknown }).input) ? "/embeddings" : "/responses");
    const response = await server.post(path, body, { key });
    const text = await response.text();
    expect([response.status, text]).toEqual([200, text]);
    return response.headers.get("x-generation-id") ?? "";
  }
  const deliveries = async (id: string, query = "") =>
    (await answer(dataList(Delivery), await call("GET", `/${id}/deliveries${query}`))).data;
  /** Waits until everything that was sent to a destination has arrived or was given up. */
  async function finished(id: string, count: number) {
    await server.services.billing.drain();
    return vi.waitFor(
      async () => {
        const all = await deliveries(id);
        expect(all.filter(({ status }) => status !== "pending")).toHaveLength(count);
        return all;
      },
      { timeout: 15_000, interval: 50 },
    );
  }
  const spans = () => sink.seen.flatMap(({ headers, body }) => decodeOtlp(headers["content-type"], body));
  return { server, ours, sink, call, create, ask, deliveries, finished, spans };
}
