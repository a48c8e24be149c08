import type { ServerResponse } from "node:http";
import { type LoopbackUpstream, type Received, startUpstream } from "#test/dialects/server.ts";
import { credential, play } from "./serve.ts";
import { vllm } from "./vllm.ts";

/** vLLM's list of models (vllm/entrypoints/openai/models/protocol.py). */
const models = {
  object: "list",
  data: vllm.models.map((id) => ({
    ...{ id, object: "model", created: 1_764_000_000, owned_by: "vllm", root: id, parent: null },
    max_model_len: 32_768,
  })),
};

const withCredential = (received: Received): Received => ({
  ...received,
  headers: { ...received.headers, authorization: `Bearer ${credential}` },
});

interface VllmServer extends LoopbackUpstream {
  readonly baseUrl: string;
}

/** A mock of vLLM on loopback that lists its models. `isOpen`: it asks for no credential, as vLLM does by default. */
export async function startVllm({ isOpen = true } = {}): Promise<VllmServer> {
  const upstream = await startUpstream();
  const { answer } = play(vllm);
  const list = (response: ServerResponse, { headers }: Received) => {
    const isAllowed = headers.authorization === `Bearer ${credential}`;
    response.writeHead(isAllowed ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify(isAllowed ? models : vllm.unauthorized.body));
  };
  upstream.answer = (response, received) => {
    const asked = isOpen ? withCredential(received) : received;
    (asked.path === "/v1/models" ? list : answer)(response, asked);
  };
  return Object.assign(upstream, { baseUrl: `${upstream.origin}/v1` });
}
