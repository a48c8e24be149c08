import { expect, test } from "vitest";
import { emptyDraft } from "./draft.ts";
import { pythonOf, snippetsOf } from "./snippets.ts";

const draft = { ...emptyDraft, models: ["a/b"], input: "It's me" };

test("a draft is shown in each language with its own texts", () => {
  const [curl, node, python] = snippetsOf("https://llm.example.eu", draft);
  expect(curl?.code).toContain("https://llm.example.eu/api/v1/chat/completions");
  expect(curl?.code).toContain("It'\\''s me");
  expect(node?.code).toContain("client.chat.completions.create(");
  expect(node?.code).toContain("for await");
  expect(python?.code).toContain("    stream=True,");
});

test("an operation that the official clients have no method for uses their post", () => {
  const [, node, python] = snippetsOf("x", { ...draft, operation: "rerank", documents: "one\ntwo" });
  expect(node?.code).toContain('client.post("/rerank", { body: {');
  expect(python?.code).toContain('"documents": ["one", "two"]');
});

test("a conversation has code for two more libraries, with what they have no name for in the body", () => {
  const labels = (operation: "chat" | "rerank") =>
    snippetsOf("x", { ...draft, operation, documents: "one" }).map(({ label }) => label);
  expect(labels("chat")).toEqual(["curl", "Node", "Python", "Vercel AI", "LangChain"]);
  expect(labels("rerank")).toEqual(["curl", "Node", "Python"]);
  const [, , , vercel, langChain] = snippetsOf("x", { ...draft, system: "Be brief", fields: '{"top_k":3}' });
  expect(vercel?.code).toContain('instructions: "Be brief"');
  expect(vercel?.code).not.toContain('"role": "system"');
  expect(langChain?.code).toContain('"role": "system"');
  expect(vercel?.code).toMatch(/extraBody: \{\s*"top_k": 3/);
  expect(langChain?.code).toMatch(/modelKwargs: \{\s*"top_k": 3/);
});

test("JSON becomes Python", () => {
  expect(pythonOf({ a: [null, true, 1.5, "x"], b: false })).toBe('{"a": [None, True, 1.5, "x"], "b": False}');
});
