import { expect } from "vitest";
import type { TestServer } from "./server.ts";

/** Completions of the model that three providers serve, and the rules that apply to them. */
export function policyClient(server: TestServer) {
  const complete = (key: string, body: object = {}, headers: Record<string, string> = {}) =>
    server.post(
      "/completions",
      { model: "test/ladder", prompt: "Where to?", max_tokens: 4, ...body },
      { key, headers },
    );

  const addRule = async (key: string, body: object): Promise<{ id: string; name: string }> => {
    const response = await server.post("/routing-rules", body, { key });
    expect(response.status).toBe(201);
    return ((await response.json()) as { data: { id: string; name: string } }).data;
  };
  return { complete, addRule };
}

/** The provider that served a request. */
export async function slugOf(response: Promise<Response>): Promise<string | null> {
  const { headers, body } = await response;
  await body?.cancel();
  return headers.get("x-provider-slug");
}
