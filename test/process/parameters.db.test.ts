import { describe, expect, test } from "vitest";
import { data } from "#contract/common.ts";
import { ErrorEnvelope } from "#contract/errors.ts";
import { GenerationRecord } from "#contract/generation-record.ts";
import { DryRunResult } from "#contract/routing-rule.ts";
import { startOwnUpstream } from "./own-upstream.ts";
import { startTestServer } from "./server.ts";

const own = await startOwnUpstream();
const [lenient] = own.overlay.providers;
const [chat] = own.overlay.endpoints.filter(({ model }) => model === "own/chat");
const overlay = {
  ...own.overlay,
  providers: [lenient, { ...lenient, slug: "strict", name: "Strict", dialect: "groq" }],
  models: [...own.overlay.models, { id: "own/strict" }],
  endpoints: [...own.overlay.endpoints, { ...chat, provider: "strict", model: "own/strict" }],
};
const server = await startTestServer({
  settings: { ...own.settings, STRICT_API_KEY: "secret" },
  overlay,
});
const messages = [{ role: "user", content: "Hello" }];

const bodies = [
  ["/chat/completions", { messages }],
  ["/chat/completions", { messages, stream: true }],
  ["/completions", { prompt: "Hello" }],
  ["/responses", { input: "Hello" }],
] as const;

/** What the provider received, and what the headers and the record of the answer report. */
async function asked(path: string, body: object) {
  const response = await server.post(path, body);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const id = response.headers.get("x-generation-id") ?? "";
  await server.record(id);
  const record = await server.send("GET", `/generation?id=${id}`);
  const { dropped_parameters, translated_parameters, clamped_parameters } = data(GenerationRecord).parse(
    await record.json(),
  ).data;
  const header = (name: string) => response.headers.get(`x-portolan-${name}-params`);
  return {
    received: own.askedFor(id),
    headers: { dropped: header("dropped"), translated: header("translated"), clamped: header("clamped") },
    recorded: { dropped_parameters, translated_parameters, clamped_parameters },
  };
}
const unchanged = {
  headers: { dropped: null, translated: null, clamped: null },
  recorded: { dropped_parameters: [], translated_parameters: [], clamped_parameters: [] },
};

describe.each(bodies)("%s %j", (path, body) => {
  const extra = { temperature: 0.5, chat_template_kwargs: { a: 1 }, safe_prompt: true };

  test("a provider that ignores what it does not know gets every field as it came", async () => {
    const { received, ...reported } = await asked(path, { model: "own/chat", ...body, ...extra });
    expect(received).toMatchObject(extra);
    expect(reported).toEqual(unchanged);
  });

  test("a strict provider gets only what it knows; the headers and the record name the rest", async () => {
    const fields = { ...extra, presence_penalty: 1 };
    const { received, headers, recorded } = await asked(path, { model: "own/strict", ...body, ...fields });
    expect(received).toMatchObject({ temperature: 0.5 });
    for (const name of ["presence_penalty", "chat_template_kwargs", "safe_prompt"])
      expect(received).not.toHaveProperty(name);
    expect(headers).toEqual({
      dropped: "presence_penalty,chat_template_kwargs,safe_prompt",
      translated: null,
      clamped: null,
    });
    expect(recorded).toEqual({
      dropped_parameters: ["presence_penalty", "chat_template_kwargs", "safe_prompt"],
      translated_parameters: [],
      clamped_parameters: [],
    });
  });

  test("a field that names a host or a key is refused by its name", async () => {
    const response = await server.post(path, { model: "own/chat", ...body, api_base: "http://10.0.0.1" });
    const { error } = ErrorEnvelope.parse(await response.json());
    expect([response.status, error.param]).toEqual([400, "api_base"]);
  });
});

describe("a field that a provider refuses although nothing says so", () => {
  test("is left out in a second attempt, reported, and left out at once afterwards", async () => {
    const first = await server.post("/chat/completions", { model: "own/picky", messages, seed: 1 });
    expect([first.status, first.headers.get("x-portolan-dropped-params")]).toEqual([200, "seed"]);
    const { attempts } = await server.record(first.headers.get("x-generation-id"));
    expect(attempts.map(({ outcome }) => outcome)).toEqual(["unsupported_parameter", "ok"]);
    const next = await server.post("/chat/completions", {
      model: "own/picky",
      messages,
      seed: 1,
      stream: true,
    });
    await next.text();
    expect([next.status, next.headers.get("x-portolan-dropped-params")]).toEqual([200, "seed"]);
    const later = await server.record(next.headers.get("x-generation-id"));
    expect(later.attempts.map(({ outcome }) => outcome)).toEqual(["ok"]);
  });
});

test("a field without which the answer would be another one is a 400 that names it", async () => {
  const response = await server.post("/chat/completions", { model: "own/strict", messages, n: 2 });
  const { error } = ErrorEnvelope.parse(await response.json());
  expect([response.status, error.param]).toEqual([400, "n"]);
});

test("the dry run lists which fields would not be sent, and excludes as the request would", async () => {
  const dryRun = async (parameters: readonly string[]) => {
    const response = await server.post("/routing-rules/dry-run", { model: "own/strict", parameters });
    return data(DryRunResult).parse(await response.json()).data.results[0];
  };
  expect(await dryRun(["seed", "top_k", "their_own"])).toMatchObject({
    parameter_changes: [{ endpoint: "strict:own/strict", dropped: ["top_k", "their_own"], translated: [] }],
  });
  const tier = { name: "service_tier", min: null, max: null, without_reasoning: false };
  expect(await dryRun(["service_tier"])).toMatchObject({
    parameter_changes: [{ dropped: [], limited: [{ ...tier, values: expect.arrayContaining(["flex"]) }] }],
  });
  expect(await dryRun(["n"])).toMatchObject({
    endpoints: [],
    excluded: [{ field: "parameters", wanted: ["n"] }],
  });
});
