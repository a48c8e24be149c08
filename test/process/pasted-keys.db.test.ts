import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createCaller } from "#server/api/root.ts";
import { contentFields } from "#server/inference/index.ts";
import { mintKey } from "#server/keys/index.ts";
import { createLog } from "#server/platform/log.ts";
import { browserOf, ignoreAddressLimit } from "./browser.ts";
import { inputOf, operations, type PlannedOperation } from "./operation-plans.ts";
import { populateOrganisation } from "./populated-organisation.ts";
import { startTestServer } from "./server.ts";

ignoreAddressLimit();
const lines: string[] = [];
const server = await startTestServer({ log: createLog("debug", (line) => void lines.push(line)) });
const { services, send } = server;
const { database } = services;
const ours = await populateOrganisation(server);

/** What somebody pastes by mistake: a whole key of an installation like this, and one of a provider. */
const pasted = [mintKey("ptl"), `sk-proj-${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7c".repeat(2)}`];
/** The middle of a key is nowhere, however the text around it was cut. */
const shown = (text: string): string[] =>
  pasted.map((key) => key.slice(10, 40)).filter((part) => text.includes(part));

type Body = Record<string, unknown>;
interface Place {
  readonly path: readonly string[];
  /** What is there already is an array of texts. */
  readonly isList: boolean;
}

/** Every place of an input that can hold a text, names of open records included. */
function placesOf({ input }: PlannedOperation): Place[] {
  if (!input) return [];
  const complete = z.toJSONSchema(input, { io: "input", unrepresentable: "any" }) as Body;
  const definitions = (complete.$defs ?? {}) as Record<string, Body>;
  const found: Place[] = [];
  const walk = (schema: Body, path: readonly string[], depth: number): void => {
    const resolved = schema.$ref ? (definitions[String(schema.$ref).split("/").at(-1) ?? ""] ?? {}) : schema;
    for (const option of [...((resolved.anyOf ?? []) as Body[]), ...((resolved.oneOf ?? []) as Body[])])
      walk(option, path, depth);
    if (resolved.type === "string") found.push({ path, isList: false });
    if (resolved.type === "array" && (resolved.items as Body | undefined)?.type === "string")
      found.push({ path, isList: true });
    if (depth === 0) return;
    for (const [name, inner] of Object.entries((resolved.properties ?? {}) as Record<string, Body>))
      walk(inner, [...path, name], depth - 1);
    if (resolved.additionalProperties) {
      found.push({ path: [...path, "named"], isList: false });
      for (const key of pasted) found.push({ path: [...path, key], isList: false });
    }
  };
  walk(complete, [], 4);
  const unique = new Map(found.map((place) => [JSON.stringify(place), place]));
  return [...unique.values()].filter(({ path }) => path.length > 0);
}

function withAt(body: Body, [name = "", ...rest]: readonly string[], value: unknown): Body {
  const inner = body[name];
  const within = typeof inner === "object" && inner !== null && !Array.isArray(inner) ? (inner as Body) : {};
  return { ...body, [name]: rest.length === 0 ? value : withAt(within, rest, value) };
}

/** Fields that the model is asked with, or that are given back to who sent them: those may hold what they like. */
const answered: ReadonlySet<string> = new Set([...contentFields, "state", "callback_url", "redirect_uri"]);

async function over({ meta, name }: PlannedOperation, input: Body, key: string): Promise<string> {
  const { openapi } = meta;
  if (!openapi) {
    const signal = AbortSignal.timeout(10_000);
    const person = { userId: ours.userId, email: "ada@test.example", name: "Ada", sessionId: ours.sessionId };
    let found: unknown = createCaller({
      services,
      caller: ours.caller,
      person,
      requestId: "paste",
      ipAddress: null,
      signal,
    });
    for (const part of name.split(".")) found = (found as Body)[part];
    return (found as (input: unknown) => Promise<unknown>)(input).then(JSON.stringify, (error: unknown) =>
      JSON.stringify({ message: (error as Error).message, cause: String((error as Error).cause) }),
    );
  }
  const { method = "GET", path: pattern = "/" } = openapi;
  const rest = { ...input };
  const path = pattern.replace(/\{(\w+)\}/g, (_whole, field: string) => {
    const value = String(rest[field] ?? "x");
    delete rest[field];
    return encodeURIComponent(value);
  });
  const query =
    method === "GET" || method === "DELETE" ? `?${new URLSearchParams(rest as Record<string, string>)}` : "";
  const body = query ? {} : { body: JSON.stringify(rest) };
  const response = await send(method, path + query, { key, ...body });
  return `${response.headers.get("location") ?? ""} ${await response.text()}`;
}

/** Every column of every table that can contain text, including the queue's, as one text for each matching row. */
async function tellingRows(): Promise<string[]> {
  const columns = await database.prisma.$queryRaw<{ place: string; name: string }[]>`
    select quote_ident(table_schema) || '.' || quote_ident(table_name) as place, quote_ident(column_name) as name
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema in ('public', 'jobs') and table_type = 'BASE TABLE'
      and (data_type in ('text', 'character varying', 'json', 'jsonb') or data_type = 'ARRAY')`;
  const patterns = pasted.map((key) => `%${key.slice(10, 40)}%`);
  const rows: string[] = [];
  for (const { place, name } of columns)
    await database.batch(async (client) => {
      const found = await client.query<{ text: string }>(
        `select left(${name}::text, 300) as text from ${place} where ${name}::text like any($1) limit 3`,
        [patterns],
      );
      for (const { text } of found.rows) rows.push(`${place}.${name}: ${text}`);
    });
  return rows;
}

/** Once is enough: a matching row stays. */
const reported = new Set<string>();
async function newRows(): Promise<string[]> {
  const rows = (await tellingRows()).filter((row) => !reported.has(row));
  for (const row of rows) reported.add(row);
  return rows;
}
const newLines = (): string[] => lines.splice(0).filter((line) => shown(line).length > 0);

async function flushed(): Promise<void> {
  await services.billing.drain();
  await services.refusedRequests.flush();
}

describe.each(operations)("an API key pasted into any field of $name", (operation) => {
  const places = placesOf(operation);
  const own = operation.name.startsWith("keys.") ? { ...ours, keyHash: "A".repeat(12) } : ours;

  test.runIf(places.length > 0)("is in no answer, no log line and no row", { timeout: 120_000 }, async () => {
    const showing: string[] = [];
    for (const { path, isList } of places)
      for (const key of pasted)
        for (const text of [key, `it is ${key} I think`]) {
          const input = withAt(inputOf(operation, own), path, isList ? [text] : text);
          const answer = await over(operation, input, ours.key);
          const mayBeAnswered =
            answered.has(path[0] ?? "") || (operation.meta.opaque ?? []).includes(path[0] ?? "");
          if (!mayBeAnswered && shown(answer).length > 0)
            showing.push(`${path.join(".")}: ${answer.slice(0, 300)}`);
        }
    await flushed();
    expect(showing).toEqual([]);
    expect(newLines()).toEqual([]);
    expect(await newRows()).toEqual([]);
  });
});

describe("an API key pasted elsewhere", () => {
  const asked = JSON.stringify({ model: "sandbox/chat", prompt: "x", max_tokens: 1 });

  test.each([
    "x-title",
    "http-referer",
    "x-session-id",
    "x-request-id",
    "user-agent",
    "idempotency-key",
    "traceparent",
  ])("into the header %s of a completion is stored nowhere", async (name) => {
    for (const key of pasted) {
      const response = await send("POST", "/completions", {
        key: ours.key,
        body: asked,
        headers: { [name]: key },
      });
      expect(shown(JSON.stringify([...response.headers]) + (await response.text()))).toEqual([]);
    }
    await flushed();
    expect(await newRows()).toEqual([]);
  });

  test("into a path, a query's name and a field's name is not returned", async () => {
    for (const key of pasted)
      for (const [method, path, body] of [
        ["GET", `/${key}`, undefined],
        ["GET", `/keys?${key}=1&${key}=2`, undefined],
        ["POST", "/keys", { name: "x", [key]: 1 }],
        ["POST", "/completions", { model: "sandbox/chat", prompt: "x", provider: { [key]: 1 } }],
        ["GET", `/models/${key}/${key}`, undefined],
        ["GET", `/responses/${key}`, undefined],
      ] as const) {
        const answer = await (
          await send(method, path, { key: ours.key, body: body && JSON.stringify(body) })
        ).text();
        expect(shown(answer), `${method} ${path}`).toEqual([]);
      }
    expect(newLines()).toEqual([]);
  });

  test("at sign-in is neither returned nor stored", async () => {
    const browser = browserOf(server);
    for (const key of pasted) {
      const answers = [
        await browser.auth("/sign-in/email", { email: key, password: key }),
        await browser.auth("/request-password-reset", { email: `${key}@example.eu` }),
        await browser.auth("/reset-password", { token: key, newPassword: key }),
      ];
      for (const answer of answers) expect(shown(await answer.text())).toEqual([]);
    }
    expect(await newRows()).toEqual([]);
    expect(newLines()).toEqual([]);
  });
});
