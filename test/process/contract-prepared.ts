import { uuidv7 } from "#server/platform/ids.ts";
import { shippedDocument } from "#test/shipped-document.ts";
import { invite, unconfirmedChannel } from "./contract-makers.ts";
import type { TestServer } from "./server.ts";

/** What a success needs besides the example: another resource, what stands in the query, or was handed out before. */
export function preparedFor(
  server: TestServer,
  exampleOf: (method: string, path: string) => unknown,
): Record<string, () => Promise<{ path?: string; query?: string; body?: object }>> {
  const generationId = async () => {
    const response = await server.post("/completions", exampleOf("post", "/completions"));
    await response.text();
    await server.services.billing.drain();
    return response.headers.get("x-generation-id") ?? "";
  };
  const period = { query: "?from=2026-11-03T00:00:00Z&to=2026-11-06T00:00:00Z" };
  return {
    "GET /data-flows": async () => period,
    "GET /data-flows/requests": async () => period,
    "GET /auth": async () => ({
      query: `?${new URLSearchParams(exampleOf("post", "/auth/keys/authorize") as Record<string, string>)}`,
    }),
    "POST /catalogue-entries": async () => ({
      body: { providers: [], endpoints: [], models: [{ id: `own/${uuidv7()}` }] },
    }),
    "POST /catalogue-updates": async () => ({ body: { url: undefined, document: shippedDocument } }),
    "GET /activity": async () => ({ query: "?from=2026-11-01&to=2026-11-30&group_by=day,model" }),
    "GET /generation": async () => ({ query: `?id=${await generationId()}` }),
    "GET /generations/{id}/receipt": async () => {
      const id = await generationId();
      await server.services.transparency.sequencer.run();
      return { path: `/generations/${id}/receipt` };
    },
    "GET /generations/{id}/explanation": async () => ({
      path: `/generations/${await generationId()}/explanation`,
    }),
    "GET /refused-requests/{id}/explanation": async () => {
      const example = exampleOf("post", "/completions") as object;
      const provider = { data_residency: "at" };
      await (await server.post("/completions", { ...example, provider })).text();
      await server.services.refusedRequests.flush();
      const { data } = (await (await server.send("GET", "/refused-requests")).json()) as {
        data: readonly { id: string; excluded: unknown }[];
      };
      const refused = data.find(({ excluded }) => excluded !== null);
      return { path: `/refused-requests/${refused?.id}/explanation` };
    },
    "POST /generations/{id}/replay": async () => ({ path: `/generations/${await generationId()}/replay` }),
    "GET /audit-log/{position}/proof": async () => {
      await server.services.transparency.sequencer.run();
      return { path: "/audit-log/1/proof" };
    },
    "GET /transparency-log": async () => {
      await server.services.transparency.sequencer.run();
      return {};
    },
    "GET /transparency-log/consistency": async () => {
      await server.services.transparency.sequencer.run();
      return { query: "?from=1" };
    },
    "GET /prices": async () => ({ query: "?endpoint=sandbox-fr:sandbox/chat" }),
    "POST /credits/refunds": async () => ({ body: { generation_id: await generationId() } }),
    "POST /auth/keys": async () => {
      const made = await server.post("/auth/keys/code", exampleOf("post", "/auth/keys/code"));
      return { body: { code: ((await made.json()) as { code: string }).code } };
    },
    "POST /alert-channels/{id}/confirmation": async () => ({
      path: `/alert-channels/${(await unconfirmedChannel(server)).id}/confirmation`,
    }),
    "POST /alert-channels/confirm": async () => ({
      body: { token: (await unconfirmedChannel(server)).token },
    }),
    "POST /invitations/view": async () => ({ body: { token: await invite(server, "ada@example.eu") } }),
    "POST /invitations/accept": async () => ({
      body: { token: await invite(server, `${uuidv7()}@example.eu`) },
    }),
  };
}
