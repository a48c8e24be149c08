import { describe, expect, test } from "vitest";
import { ErrorEnvelope } from "#contract/errors.ts";
import { ProviderList } from "#contract/provider.ts";
import { expectError } from "./error-envelope.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { send, post } = server;

async function refusal(response: Response) {
  expect(response.headers.get("content-type")).toContain("application/json");
  const { error, requestId } = ErrorEnvelope.parse(await response.json());
  expect(requestId).toBe(response.headers.get("x-request-id"));
  return { status: response.status, code: error.code, param: error.param };
}

const noSuchPath = { status: 404, code: "NOT_FOUND", param: null };

test.each(["/api/v1", "/v1", "/api/v1/", "/v1/", "/v1?a=b"])(
  "%s is answered by the API, not by the console",
  async (path) => {
    for (const method of ["GET", "POST", "PUT"])
      expect(await refusal(await fetch(server.origin + path, { method })), method).toEqual(noSuchPath);
  },
);

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly format?: string; readonly anyOf?: readonly { readonly format?: string }[] };
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { readonly example?: object }> };
}

interface Document {
  readonly paths: Record<string, { readonly [method: string]: Operation | undefined }>;
}

const documented = async () => (await (await send("GET", "/openapi.json")).json()) as Document;

describe("path parameters", () => {
  const operations = async () =>
    Object.entries((await documented()).paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        example: operation?.requestBody?.content["application/json"]?.example ?? {},
        names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name),
      })),
    );
  const id = "01890000-0000-7000-8000-000000000000";
  const valid = (path: string) =>
    path
      .replace("{hash}", "AAAAAAAAAAAA")
      .replace("{interval}", "daily")
      .replaceAll(/\{\w+\}/g, id);
  const at = (path: string, name: string, value: string) => valid(path.replace(`{${name}}`, value));
  /** Routes that another handler answers for some queries. */
  const queriesOf = (method: string, path: string) =>
    method === "GET" && path === "/responses/{response_id}" ? ["", "stream=true"] : [""];
  const bodyOf = (method: string, value: object) =>
    method === "GET" || method === "DELETE" ? {} : { body: JSON.stringify(value) };

  test("are text on every route: %00 and broken encodings are a 400 that names the parameter", async () => {
    let asked = 0;
    for (const { method, path, names } of await operations())
      for (const name of names)
        for (const value of ["%00", "a%00b", "%FF", "%E0%A4%A"])
          for (const query of queriesOf(method, path)) {
            const asking = `${at(path, name, value)}${query && `?${query}`}`;
            const reported = await refusal(await send(method, asking, bodyOf(method, {})));
            expect(reported, `${method} ${path} ${value} ${query}`).toEqual({
              status: 400,
              code: "BAD_REQUEST",
              param: name,
            });
            asked++;
          }
    expect(asked).toBeGreaterThan(50);
  });

  test("may not be repeated in body or query on any route: it is a 400, never ignored", async () => {
    for (const { method, path, names } of await operations())
      for (const name of names)
        for (const other of ["another", null])
          for (const further of queriesOf(method, path)) {
            const isBody = "body" in bodyOf(method, {});
            if (!isBody && other === null) continue;
            const query = isBody ? "" : `?${name}=${other}&${further}`;
            const reported = await refusal(
              await send(method, at(path, name, id) + query, bodyOf(method, { [name]: other })),
            );
            expect(reported, `${method} ${path} ${name} ${further}`).toEqual({
              status: 400,
              code: "BAD_REQUEST",
              param: name,
            });
          }
  });

  test("every mutation refuses an unknown field by name", async () => {
    const changes = (await operations()).filter(({ method }) => method === "PATCH" || method === "PUT");
    expect(changes.length).toBeGreaterThan(4);
    for (const { method, path, names, example } of changes)
      for (const field of ["no_such_field", "id", "org_id", "created_at"].filter(
        (one) => !names.includes(one),
      )) {
        const reported = await refusal(
          await send(method, valid(path), bodyOf(method, { ...example, [field]: id })),
        );
        expect(reported, `${method} ${path}`).toEqual({ status: 400, code: "BAD_REQUEST", param: field });
      }
  });
});

describe("days and times in queries", () => {
  const formatOf = ({ schema }: Parameter) => schema.format ?? schema.anyOf?.[0]?.format ?? "";
  const valid: Record<string, string> = { date: "2026-03-01", "date-time": "2026-03-01T00:00:00Z" };
  const wrong: Record<string, readonly string[]> = {
    date: ["0000-01-01", "0001-01-01", "9999-99-99", "10000-01-01", "-000001-01-01"],
    "date-time": [
      "0000-01-01T00:00:00Z",
      "9999-12-31T23:59:59-23:59",
      "+010000-01-01T00:00:00Z",
      "2026-01-01",
    ],
  };

  test("that are out of range or in the wrong order are a 400 that names them, on every route", async () => {
    const { paths } = await documented();
    let asked = 0;
    for (const [path, { get }] of Object.entries(paths)) {
      const times = (get?.parameters ?? []).filter((one) => one.in === "query" && formatOf(one) in valid);
      const all = Object.fromEntries(times.map((one) => [one.name, valid[formatOf(one)] ?? ""]));
      for (const one of times) {
        for (const value of wrong[formatOf(one)] ?? []) {
          const query = new URLSearchParams({ ...all, [one.name]: value });
          const reported = await refusal(await send("GET", `${path}?${query}`));
          expect(reported, `${path}?${query}`).toEqual({ status: 400, code: "BAD_REQUEST", param: one.name });
          asked++;
        }
      }
      const { from, to } = all;
      if (from === undefined || to === undefined) continue;
      const later = from.replace("2026-03-01", "2026-03-02");
      const reported = await refusal(
        await send("GET", `${path}?${new URLSearchParams({ from: later, to })}`),
      );
      expect(reported, path).toEqual({ status: 400, code: "BAD_REQUEST", param: "to" });
      for (const span of [
        { from, to },
        { from: from.replace("2026-03-01", "1970-01-01"), to: to.replace("2026-03-01", "9999-12-31") },
      ])
        expect((await send("GET", `${path}?${new URLSearchParams(span)}`)).status, path).toBe(200);
    }
    expect(asked).toBeGreaterThan(20);
  });
});

describe("x-session-id", () => {
  const ask = (session: string, body: object = {}) =>
    post(
      "/completions",
      { model: "sandbox/chat", prompt: "Hi", ...body },
      { headers: { "x-session-id": session } },
    );

  test("of 256 characters is recorded as session_id, and an explicit session_id wins over it", async () => {
    const given = "s".repeat(256);
    const recorded = async (response: Response) => {
      expect(response.status).toBe(200);
      await response.text();
      return (await server.record(response.headers.get("x-generation-id"))).session_id;
    };
    expect(await recorded(await ask(given))).toBe(given);
    expect(await recorded(await ask(`${given}s`, { session_id: "own" }))).toBe("own");
  });

  test("that is longer is refused like session_id, never truncated", async () => {
    const long = "s".repeat(257);
    expect(await refusal(await ask(long))).toEqual({
      status: 400,
      code: "BAD_REQUEST",
      param: "x-session-id",
    });
    expect(await refusal(await ask("short", { session_id: long }))).toMatchObject({
      status: 400,
      param: "session_id",
    });
  });
});

describe("paths and request ids", () => {
  test("an unknown path answers 404 in the envelope, with the request id that was sent", async () => {
    const headers = { "x-request-id": "my-own-request-1" };
    const response = await send("GET", "/nothing/here", { headers });
    expect(response.headers.get("x-request-id")).toBe("my-own-request-1");
    await expectError(response, 404, "NOT_FOUND");
  });

  test.each(["short", "with space", "x".repeat(129), "a\u00e9bcdefgh"])(
    "the request id %o is replaced",
    async (sent) => {
      const response = await send("GET", "/nothing", { headers: { "x-request-id": sent } });
      expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  test.each(["/%E0%A4%A", "/..%2f..%2fetc%2fpasswd", "//completions", "/completions/", "/COMPLETIONS"])(
    "the path %s is not an operation",
    async (path) => {
      await expectError(await send("GET", path), 404, "NOT_FOUND");
    },
  );

  test("the same operations are served under /v1", async () => {
    const response = await fetch(`${server.origin}/v1/providers`);
    expect(ProviderList.safeParse(await response.json()).success).toBe(true);
  });
});
