import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { afterAll, describe, expect, test } from "vitest";
import { ErrorEnvelope } from "#contract/errors.ts";
import { responseExamplesFile } from "#server/http/response-examples.ts";
import { limits } from "#server/platform/limits.ts";
import { openContract } from "./contract-operations.ts";
import { expectError } from "./error-envelope.ts";
import { exampleMaker } from "./example-values.ts";
import { eventsOf, startTestServer } from "./server.ts";

const server = await startTestServer();
const { send, post } = server;
const { document, operations, schemaOf, succeed, note } = await openContract(server);

/** `npm run generate:examples` writes the answers of this run as the examples of the document. */
const isRecording = process.env.RECORD_EXAMPLES === "true";
const recorded = new Map<string, unknown>();
const exampleOf = exampleMaker(Date.now());
function record({ operationId = "" }: { operationId?: string }, answer: unknown): void {
  if (isRecording) recorded.set(operationId, exampleOf(answer));
}
afterAll(() => {
  if (!isRecording) return;
  const sorted = Object.fromEntries([...recorded].sort(([one], [other]) => one.localeCompare(other)));
  writeFileSync(responseExamplesFile, `${JSON.stringify(sorted, null, 2)}\n`);
});

describe("the document", () => {
  test("is OpenAPI 3.1, and every reference in it resolves", () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.info).toMatchObject({
      title: "Portolan",
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
    for (const [, reference = ""] of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)) {
      const found = reference
        .replace(/^#\//, "")
        .split("/")
        .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], document);
      expect(found, reference).toBeDefined();
    }
  });

  test.each(operations)(
    "$title has a summary, a tag, a unique name and known answers",
    ({ declared, operation }) => {
      expect(operation.summary).toMatch(/^[A-Z].+/);
      expect(operation.tags).toHaveLength(1);
      expect(
        operations.filter((other) => other.operation.operationId === operation.operationId),
      ).toHaveLength(1);
      expect(Object.keys(operation.responses).some((status) => /^[23]/.test(status))).toBe(true);
      const schema = /^\/(?:messages|anthropic)/.test(declared) ? "MessagesError" : "Error";
      for (const [status, response] of Object.entries(operation.responses)) {
        if (Number(status) >= 400) {
          expect(response.content?.["application/json"]?.schema).toEqual({
            $ref: `#/components/schemas/${schema}`,
          });
          expect(response.description).toMatch(/^[A-Z_, ]+$/);
        }
      }
    },
  );

  test.each(operations.filter(({ takesBody }) => takesBody))(
    "$title has an example that it accepts",
    async (known) => {
      expect(known.example).toBeDefined();
      const response = await succeed(known);
      expect(response.status).toBeLessThan(300);
      note(known.declared, await response.json());
    },
  );
});

describe.each(operations)("$title", (known) => {
  const { path, declared, method, isProtected, takesBody, example, operation } = known;
  const body = takesBody ? "{}" : undefined;

  if (isProtected)
    test("without a key or with an unknown key answers 401 with a challenge", async () => {
      for (const key of [null, "nonsense", server.key.slice(0, -1)]) {
        const response = await send(method, path, { body, key });
        expect(response.headers.get("www-authenticate")).toBe("Bearer");
        await expectError(response, 401, "UNAUTHORIZED");
      }
    });

  test("with another method answers 405 and lists the allowed methods", async () => {
    const methods = Object.keys(document.paths[path] ?? document.paths[declared] ?? {});
    const other = ["PUT", "PATCH", "DELETE"].find((name) => !methods.includes(name.toLowerCase())) ?? "PUT";
    const response = await send(other, path);
    expect(response.headers.get("allow")?.split(", ")).toContain(method);
    await expectError(response, 405, "METHOD_NOT_ALLOWED");
  });

  test("OPTIONS answers a preflight request from any origin", async () => {
    const response = await send("OPTIONS", path, { key: null, headers: { origin: "https://app.example" } });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-methods")?.split(", ")).toContain(method);
    expect(response.headers.get("access-control-allow-headers")).toContain("authorization");
  });

  if (takesBody)
    test("a body of the wrong shape answers 400 with the issues", async () => {
      const [field = ""] = Object.keys(example ?? {});
      for (const value of [7, [{}]]) {
        const body = JSON.stringify({ [field]: value });
        const error = await expectError(await send(method, path, { body }), 400, "BAD_REQUEST");
        // An item of a list may be what is wrong.
        const place = expect.stringMatching(new RegExp(`^${field}(\\.|$)`));
        expect(error.metadata.issues).toEqual(
          expect.arrayContaining([expect.objectContaining({ path: place })]),
        );
        expect(error.param).not.toBeNull();
      }
    });

  if (takesBody)
    test("a body that is not JSON answers 400 with the position, or 415 by its type", async () => {
      const broken = await expectError(
        await send(method, path, { body: '{"model": "a",\n "prompt": }' }),
        400,
        "BAD_REQUEST",
      );
      expect(broken.message).toMatch(/line 2 column/);
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
      ]) {
        const response = await send(method, path, { body: "a=1", headers: { "content-type": type } });
        await expectError(response, 415, "UNSUPPORTED_MEDIA_TYPE");
      }
      const packed = await send(method, path, { body: "{}", headers: { "content-encoding": "gzip" } });
      await expectError(packed, 415, "UNSUPPORTED_MEDIA_TYPE");
    });

  if (takesBody)
    test("a body that declares too large a length is refused before it is sent", async () => {
      const [status, text] = await new Promise<[number, string]>((resolve, reject) => {
        const sending = request(`${server.origin}/api/v1${path}`, {
          method,
          headers: {
            authorization: `Bearer ${server.key}`,
            "content-type": "application/json",
            "content-length": limits.body.inferenceBytesMax + 1,
          },
        });
        sending.on("response", async (response) => {
          let read = "";
          for await (const chunk of response) read += chunk;
          sending.destroy();
          resolve([response.statusCode ?? 0, read]);
        });
        sending.on("error", reject);
        sending.flushHeaders();
      });
      expect(status).toBe(413);
      expect(ErrorEnvelope.parse(JSON.parse(text)).error).toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
    });

  if (method === "GET")
    test("HEAD answers like GET, without a body", async () => {
      const response = await send("HEAD", path);
      expect(response.status).toBe((await send("GET", path)).status);
      expect(await response.text()).toBe("");
    });

  if (method === "GET")
    test("a repeated query parameter answers 400 with its name", async () => {
      const error = await expectError(await send("GET", `${path}?a=1&a=2`), 400, "BAD_REQUEST");
      expect(error.param).toBe("a");
    });

  test("a successful answer has the declared schema", async () => {
    const [status = "200"] = Object.keys(operation.responses);
    const response = await succeed(known);
    if (status === "302") {
      expect(response.status).toBe(302);
      expect(response.headers.get("location")).toMatch(/^\/\w+/);
      return;
    }
    const answer = await response.json();
    note(declared, answer);
    expect([response.status, answer]).toEqual([Number(status), answer]);
    expect(schemaOf(operation, status).safeParse(answer).error).toBeUndefined();
    record(operation, answer);
  });

  const [success = "200"] = Object.keys(operation.responses);
  const answers = operation.responses[success]?.content?.["application/json"];
  if (answers && !isRecording)
    test("has an example of its answer that has the declared schema", () => {
      expect(answers.example).toBeDefined();
      expect(schemaOf(operation, success).safeParse(answers.example).error).toBeUndefined();
    });

  if (declared.includes("{"))
    test("an unknown resource answers 404", async () => {
      const body = takesBody
        ? JSON.stringify(operation.requestBody?.content["application/json"]?.example)
        : undefined;
      await expectError(await send(method, path, { body }), 404, "NOT_FOUND");
    });
});

describe("outside the operations", () => {
  test("a body of 32 MiB and one byte sent in chunks is cut off with 413", async () => {
    const chunk = Buffer.alloc(1024 * 1024, " ");
    const chunks = limits.body.inferenceBytesMax / chunk.length;
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sending = request(`${server.origin}/api/v1/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${server.key}`, "content-type": "application/json" },
      });
      sending.on("response", (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sending.on("error", reject);
      for (let at = 0; at < chunks; at++) sending.write(chunk);
      sending.end(" ");
    });
    expect(status).toBe(413);
  });

  test("an empty body counts as an empty object, and the error names what is missing", async () => {
    const error = await expectError(await send("POST", "/completions"), 400, "BAD_REQUEST");
    expect(error.metadata.issues).toEqual([expect.objectContaining({ path: "prompt" })]);
  });

  test.each([
    ["deep", `{"prompt":"x","trace":${"[".repeat(20_000)}${"]".repeat(20_000)}}`],
    ["poisoned", '{"prompt":"x","model":"sandbox/chat","trace":{"__proto__":{"a":1}}}'],
    ["with U+0000", '{"prompt":"a\\u0000b","model":"sandbox/chat"}'],
    ["no object", "[1,2]"],
    ["null", "null"],
  ])("a %s body answers 400", async (_, body) => {
    await expectError(await send("POST", "/completions", { body }), 400, "BAD_REQUEST");
  });

  test("an unknown key in the preferences is an error, not ignored", async () => {
    const response = await post("/completions", {
      model: "sandbox/chat",
      prompt: "x",
      provider: { data_residencey: "eu" },
    });
    const error = await expectError(response, 400, "BAD_REQUEST");
    expect(error.param).toBe("provider.data_residencey");
  });

  test("a key may be sent as x-api-key; two different keys are refused", async () => {
    const asked = { model: "sandbox/chat", prompt: "x", max_tokens: 1 };
    const alone = await post("/completions", asked, { key: null, headers: { "x-api-key": server.key } });
    expect(alone.status).toBe(200);
    await expectError(
      await post("/completions", asked, { headers: { "x-api-key": "other" } }),
      400,
      "BAD_REQUEST",
    );
  });

  test("health and metrics answer without a key", async () => {
    const [live, ready, metrics] = await Promise.all(
      ["/health/live", "/health/ready", "/metrics"].map((path) => fetch(server.origin + path)),
    );
    expect(await live?.json()).toMatchObject({ status: "alive" });
    expect(await ready?.json()).toMatchObject({ status: "ready", checks: { database: { ok: true } } });
    expect(await metrics?.text()).toContain("portolan_http_requests_total");
  });

  test("a stream is server-sent events with the usual headers", async () => {
    const response = await post("/completions", { model: "sandbox/chat", prompt: "x", stream: true });
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect((await eventsOf(response)).at(-1)).toBe("[DONE]");
  });
});
