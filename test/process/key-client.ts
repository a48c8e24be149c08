import { expect } from "vitest";
import type { CreatedKey } from "#contract/key.ts";
import type { TestServer } from "./server.ts";

type Body = Record<string, unknown>;
interface Problem {
  readonly error: { code: string; message: string; param: string | null; metadata: Body };
}

/** A completion whose cost is small. */
export const asked = { model: "sandbox/chat", prompt: "x", max_tokens: 4 };

export const errorOf = async (response: Response) => ((await response.json()) as Problem).error;

export async function refusalOf(response: Response) {
  const { param, message } = await errorOf(response);
  return { status: response.status, param, message };
}

/** Makes, changes and uses keys. */
export function keyClient({ send, post }: TestServer) {
  async function make(body: Body, key?: string): Promise<CreatedKey> {
    const response = await post("/keys", { name: "Made by a test", ...body }, { ...(key && { key }) });
    expect(response.status).toBe(201);
    return (await response.json()) as CreatedKey;
  }
  const complete = (key: string, body: Body = asked) => post("/completions", body, { key });
  const patch = (hash: string, body: Body, key?: string) =>
    send("PATCH", `/keys/${hash}`, { body: JSON.stringify(body), ...(key && { key }) });
  return { make, complete, patch };
}
