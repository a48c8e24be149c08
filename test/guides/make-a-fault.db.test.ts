import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ErrorEnvelope } from "#contract/errors.ts";
import { startTestServer } from "#test/process/server.ts";

const guide = readFileSync(new URL("../../docs/faults.md", import.meta.url), "utf8");
const section = /^## Simulate a fault$([\s\S]*?)^## /m.exec(guide)?.[1] ?? "";

/** The code blocks of a language in the section. */
const blocks = (language: string): string[] =>
  [...section.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))].map(
    ([, text = ""]) => text,
  );

const [file = ""] = blocks("json");
const [, curl = ""] = blocks("sh");
const [headers = ""] = blocks("http");
const { post, record } = await startTestServer({ overlay: JSON.parse(file) as object });
const path = /\/api\/v1(\/\S+)/.exec(curl)?.[1] ?? "";
const body = JSON.parse(/-d '([^']+)'/.exec(curl)?.[1] ?? "") as { model: string };

test("docs/faults.md: the request it shows is answered by the second provider, with the headers it shows", async () => {
  const response = await post(path, body);
  expect(response.status).toBe(200);
  const reported = headers
    .trim()
    .split("\n")
    .map((line) => line.split(": "));
  expect(reported).toHaveLength(2);
  for (const [name = "", value] of reported) expect(response.headers.get(name)).toBe(value);
  await response.text();
  const { attempts } = await record(response.headers.get("x-generation-id"));
  expect(attempts).toMatchObject([{ provider: "sandbox-fr" }, { provider: "sandbox-de" }]);
  const again = await post(path, body);
  expect([again.headers.get("x-provider-slug"), again.headers.has("x-fallback-count")]).toEqual([
    "sandbox-de",
    false,
  ]);
});

test("docs/faults.md: without another provider, the client gets the error of the table", async () => {
  const [, provider = ""] = /`"provider": (\{.*\})`/.exec(section) ?? [];
  const response = await post(path, { ...body, provider: JSON.parse(provider) as object });
  expect(response.status).toBe(502);
  const { error } = ErrorEnvelope.parse(await response.json());
  expect([error.code, error.metadata.previous_errors]).toMatchObject([
    "PROVIDER_ERROR",
    [{ code: "server_error", status: 500 }],
  ]);
});
