import { expect, test } from "vitest";
import { emptyDraft } from "#app/(console)/playground/_components/draft.ts";
import { snippetsOf } from "#app/(console)/playground/_components/snippets.ts";
import { startTestServer } from "#test/process/server.ts";
import { runScript } from "./guide.ts";

const server = await startTestServer();
const draft = {
  ...emptyDraft,
  models: ["sandbox/chat"],
  system: "Answer in one sentence.",
  history: [
    { role: "user" as const, content: 'It\'s a "test"' },
    { role: "assistant" as const, content: "Yes." },
  ],
  input: "Say hello to Europe.",
  temperature: 0.5,
  max_tokens: 16,
  fields: '{"session_id": "playground-code", "provider": {"only": ["sandbox-fr"]}}',
};

const programs = snippetsOf(server.origin, draft).filter(({ code }) => code.startsWith("import {"));

test("there is code for two libraries besides the official clients", () => {
  expect(programs.map(({ label }) => label)).toEqual(["Vercel AI", "LangChain"]);
});

test.each(programs)(
  "the code for $label sends the conversation, its settings and the other fields",
  async ({ code }) => {
    expect(await runScript(code, server)).not.toBe("");
    await server.services.billing.drain();
    const [sent] = await server.services.database.prisma.generation.findMany({
      orderBy: { id: "desc" },
      take: 1,
    });
    expect(sent).toMatchObject({
      model: "sandbox/chat",
      provider: "sandbox-fr",
      session_id: "playground-code",
    });
  },
);
