import { describe, expect, test } from "vitest";
import { eventsOf, startTestServer } from "#test/process/server.ts";
import { codeBlocks, readDocument, runCurl, runScript } from "./guide.ts";

const { origin, key, services } = await startTestServer();

describe("docs/guides/first-request.md", () => {
  const guide = readDocument("docs/guides/first-request.md");
  const [ask = "", stream = "", lookUp = ""] = codeBlocks(guide, "sh");
  const [shown = ""] = codeBlocks(guide, "json");

  test("the request is answered in the form the guide shows, and its generation is found", async () => {
    const answer = (await (await runCurl(ask, origin, { PORTOLAN_API_KEY: key })).json()) as { id: string };
    const { provider: _, ...expected } = JSON.parse(shown) as Record<string, unknown>;
    expect(answer).toMatchObject(expected);
    expect(answer).toMatchObject({ provider: expect.stringMatching(/^Sandbox /) });
    await services.billing.drain();
    const found = await runCurl(lookUp, origin, { PORTOLAN_API_KEY: key, GENERATION_ID: answer.id });
    expect(await found.json()).toMatchObject({ data: { api_type: "chat", status: "completed" } });
  });

  test("the streamed request ends with [DONE]", async () => {
    const events = await eventsOf(await runCurl(stream, origin, { PORTOLAN_API_KEY: key }));
    expect(events.length).toBeGreaterThan(2);
    expect(events.at(-1)).toBe("[DONE]");
  });

  test("the Node example prints an answer", async () => {
    const [script = ""] = codeBlocks(guide, "js");
    expect(await runScript(script, { origin, key })).not.toBe("");
  });

  test.each(["python", "go", "java"])("the %s example sends the same to the same server", (language) => {
    const [program = ""] = codeBlocks(guide, language);
    for (const part of [
      "sandbox/chat",
      "Say hello to Europe.",
      "http://127.0.0.1:3000/api/v1",
      "PORTOLAN_API_KEY",
    ])
      expect(program).toContain(part);
  });

  test("the model of the real provider is in the catalogue", async () => {
    const [, model = ""] = /such as `([^`]+)`/.exec(guide) ?? [];
    expect(services.catalogues.of(null).models.has(model)).toBe(true);
  });
});

describe("README.md", () => {
  const readme = readDocument("README.md");

  test("every curl command is answered", async () => {
    const commands = codeBlocks(readme, "sh").filter((block) => block.startsWith("curl "));
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) {
      const answer = await runCurl(command, origin, { PORTOLAN_API_KEY: key });
      expect([command, answer.status]).toEqual([command, 200]);
      await answer.text();
    }
  });

  test("the Node examples run one after the other", async () => {
    expect(await runScript(codeBlocks(readme, "js").join("\n"), { origin, key })).not.toBe("");
  });
});
