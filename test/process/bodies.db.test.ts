import { describe, expect, test } from "vitest";
import { ErrorEnvelope } from "#contract/errors.ts";
import { appRouter } from "#server/api/root.ts";
import type { Meta } from "#server/api/trpc.ts";
import { authRoutes } from "#server/auth/sign-in.ts";
import { inferenceHandlers } from "#server/http/inference-handler.ts";
import { compileRoutes } from "#server/http/route-table.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { Browser, ignoreAddressLimit } from "./browser.ts";
import { startTestServer } from "./server.ts";

ignoreAddressLimit();
const email = "ada@example.eu";
const password = "correct horse battery";
const server = await startTestServer({ settings: { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } });
const browser = await new Browser(server).signIn(email, password);
const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
const nobody: Record<string, string> = {};
const session: Record<string, string> = { cookie };
const bearer: Record<string, string> = { authorization: `Bearer ${server.key}` };

interface Entry {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** What authenticates a caller; empty for public entries. */
  readonly credential: Record<string, string>;
  /** Whether the query contains what a body would. */
  readonly byQuery?: true;
}

const filled = (path: string) => path.replaceAll(/\{\w+\}/g, uuidv7());
const changing = new Set(["POST", "PUT", "PATCH"]);

const overRest: Entry[] = compileRoutes(appRouter)
  .filter(({ method }) => changing.has(method))
  .map(({ method, path, isProtected }) => ({
    name: `${method} ${path}`,
    method,
    path: `/api/v1${filled(path)}`,
    credential: isProtected ? bearer : nobody,
  }));

const procedures = Object.entries(
  appRouter._def.procedures as unknown as Record<
    string,
    { _def: { type: string; meta?: Meta; inputs: unknown[] } }
  >,
).filter(([, { _def }]) => _def.inputs.length > 0);
/** Public procedures are marked; all others require a session. */
const isPublic = (meta: Meta | undefined) =>
  meta?.openapi ? meta.openapi.protect === false : !meta?.permission && !meta?.personal && meta !== undefined;
const overTrpc: Entry[] = procedures.map(([name, { _def }]) => ({
  name: `tRPC ${name}`,
  method: _def.type === "mutation" ? "POST" : "GET",
  path: `/api/trpc/${name}`,
  credential: isPublic(_def.meta) ? nobody : session,
  ...(_def.type === "query" && { byQuery: true }),
}));

const toSignIn: Entry[] = [...authRoutes]
  .filter(([route]) => route.startsWith("POST"))
  .map(([route, { session: ofSession }]) => {
    const [method = "", path = ""] = route.split(" ");
    return { name: route, method, path, credential: ofSession ? session : nobody };
  });

const inPlayground: Entry[] = [...inferenceHandlers.keys()].map((path) => ({
  name: `playground ${path}`,
  method: "POST",
  path: `/api/playground${path}`,
  credential: session,
}));

const entries = [...overRest, ...overTrpc, ...toSignIn, ...inPlayground];

function ask({ method, path, byQuery }: Entry, body: Buffer<ArrayBuffer>, headers: Record<string, string>) {
  const url = new URL(path, server.origin);
  if (byQuery) url.searchParams.set("input", body.toString());
  return fetch(url, {
    method,
    redirect: "manual",
    headers: { origin: server.origin, "content-type": "application/json", ...headers },
    ...(!byQuery && { body }),
  });
}

/** The error of an answer, in the form of its entry. */
async function errorOf(response: Response) {
  const text = await response.text();
  expect(text.length).toBeLessThan(64 * 1024);
  const value = JSON.parse(text);
  return ErrorEnvelope.parse(value.error?.data ?? value).error;
}

const isEntrance = ({ path }: Entry) => path.startsWith("/api/auth/") || path.startsWith("/api/v1/auth/");
const manyElements = (entry: Entry) =>
  "[],".repeat((isEntrance(entry) ? limits.body.authElementsMax : limits.body.containersMax) + 1);

const notUtf8 = Buffer.from([...Buffer.from('{"a":"'), 0xff, ...Buffer.from('"}')]);
const badFor = (entry: Entry): readonly (readonly [string, Buffer<ArrayBuffer>, RegExp])[] => [
  ["is no JSON", Buffer.from('{"a": }'), /line 1 column 7/],
  ["has a name twice", Buffer.from('{"a":{"b":1,"b":2}}'), /^a\.b: is given twice/],
  ["is no UTF-8", notUtf8, /not valid UTF-8/],
  ["has U+0000", Buffer.from('{"a":["\\u0000"]}'), /^a\.0: .*U\+0000/],
  ["has half of a surrogate pair", Buffer.from('{"a":{"b":"\\ud800"}}'), /^a\.b: .*surrogate pair/],
  ["is too deep", Buffer.from('{"a":'.repeat(65)), /64 levels/],
  [
    "has too many keys",
    Buffer.from(`{${'"k":1,'.repeat(limits.body.keysMax + 1)}`),
    /10000 keys|1000 elements/,
  ],
  ["has too many elements", Buffer.from(`[${manyElements(entry)}`), /at most/],
  ["sets a prototype", Buffer.from('{"a":{"__proto__":{}}}'), /__proto__/],
];

describe.each(entries)("$name", (entry) => {
  const bad = badFor(entry);
  const sent = entry.byQuery ? bad.filter(([, body]) => body.length < 100 && body !== notUtf8) : bad;

  test.each(sent)("refuses a body that %s", async (_, body, message) => {
    const error = await errorOf(await ask(entry, body, entry.credential));
    expect(error).toMatchObject({ code: "BAD_REQUEST", metadata: { status: 400 } });
    if (!entry.byQuery) expect(error.message).toMatch(message);
  });

  if (Object.keys(entry.credential).length > 0)
    test("authenticates before it reads the body", async () => {
      for (const [, body] of sent.slice(0, 4)) {
        const response = await ask(entry, body, {});
        expect(response.status).toBe(401);
        expect((await errorOf(response)).code).toBe("UNAUTHORIZED");
      }
    });
});

test("the list of entries is complete", () => {
  expect(overRest.length).toBeGreaterThan(30);
  expect(overTrpc.length).toBeGreaterThan(60);
  expect(toSignIn.length).toBeGreaterThan(4);
  expect(inPlayground).toHaveLength(inferenceHandlers.size);
  expect(overTrpc.filter(({ credential }) => !("cookie" in credential)).map(({ path }) => path)).toEqual(
    [
      "alertChannels.confirm",
      "authorization.start",
      "authorization.exchange",
      "invitations.view",
      "invitations.accept",
      "models.list",
      "models.count",
      "models.embeddings",
      "models.zdr",
      "models.retrieve",
      "models.get",
      "models.getAsOpenRouter",
      "models.endpoints",
      "anthropicModels.list",
      "anthropicModels.retrieve",
      "providers.list",
    ].map((name) => `/api/trpc/${name}`),
  );
});

test("no bytes are reserved once everything is answered", () => {
  expect(server.services.bodies.known.held()).toBe(0);
  expect(server.services.bodies.strangers.held()).toBe(0);
});
