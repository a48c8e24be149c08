import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bodyOf,
  type Draft,
  emptyDraft,
  fieldsOf,
  type Operation,
  operations,
  ownFieldsOf,
  problemOf,
} from "./draft.ts";
import { fragmentOf, draftOf as sharedDraftOf } from "./shared-draft.ts";
import { snippetsOf } from "./snippets.ts";

const origin = "https://llm.example.eu";
const word = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom("It's", 'a "b" \\ c', "$HOME `id`", "line\nbreak", "Ä 数 🌊"),
);
/** JSON as it is written into a field; `__proto__` is no field of the API. */
const json = fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes("__proto__"));
const fieldName = fc.constantFrom("provider", "top_p", "models", "class", "a-b", "model", "stream", "user");

const draft: fc.Arbitrary<Draft> = fc.record({
  operation: fc.constantFrom<Operation>("chat", "responses", "completions", "rerank"),
  models: word.map((name) => [`m/${name}`]),
  system: word,
  history: fc.array(fc.record({ role: fc.constant("user"), content: word }), { maxLength: 2 }),
  input: word,
  images: fc.constantFrom([], ["data:image/png;base64,AA=="]),
  documents: fc.array(word, { maxLength: 3 }).map((lines) => lines.join("\n")),
  tools: fc.constantFrom("", '[{"type":"function","function":{"name":"f","strict":true,"parameters":null}}]'),
  schema: fc.constantFrom("", '{"type":"object","properties":{}}'),
  fields: fc
    .option(fc.dictionary(fieldName, json, { maxKeys: 3 }), { nil: null })
    .map((given) => (given ? JSON.stringify(given) : "")),
  temperature: fc.option(fc.constantFrom(0, 0.5, 2), { nil: null }),
  max_tokens: fc.option(fc.integer({ min: 1, max: 1_000_000 }), { nil: null }),
  stream: fc.boolean(),
});
const bodyOfDraft = (one: Draft) => bodyOf(one, one.models[0] ?? "", []);
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const codeOf = (one: Draft, label: string) =>
  snippetsOf(origin, one).find((snippet) => snippet.label === label)?.code ?? "";

/** The arguments a shell hands to the command, by running it in place of curl. */
function shellArguments(code: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${code}`;
  const { stdout, status } = spawnSync("sh", ["-c", script], {
    encoding: "utf8",
    env: { ...process.env, PORTOLAN_API_KEY: "k" },
  });
  expect(status).toBe(0);
  return stdout.split("\0").slice(0, -1);
}

/** What the code passes to the OpenAI client, found by running it with a client that records calls. */
async function nodeCall(code: string): Promise<{ method: string; body: unknown }> {
  const calls: { method: string; body: unknown }[] = [];
  const remember = (method: string) => (first: unknown, second?: { body: unknown }) => {
    calls.push(second ? { method: String(first), body: second.body } : { method, body: first });
    return Promise.resolve([]);
  };
  class OpenAI {
    chat = { completions: { create: remember("/chat/completions") } };
    responses = { create: remember("/responses") };
    completions = { create: remember("/completions") };
    post = remember("post");
  }
  const AsyncFunction = Object.getPrototypeOf(nodeCall).constructor;
  const silent = { log() {} };
  await AsyncFunction(
    "OpenAI",
    "process",
    "console",
    code.replace(/^import .*$/m, ""),
  )(OpenAI, { env: {} }, silent);
  const [call] = calls;
  if (!call || calls.length > 1) throw new Error("the code makes one call");
  return call;
}

/** A Python literal as JSON: words outside of strings are the only difference. */
const jsonOfPython = (text: string): unknown =>
  JSON.parse(
    text.replace(
      /"(?:[^"\\]|\\.)*"|\b(?:None|True|False)\b/g,
      (token) => ({ None: "null", True: "true", False: "false" })[token] ?? token,
    ),
  );

/** The arguments of the call, by their names. */
function pythonArguments(code: string): Record<string, unknown> {
  const post = /^answer = client\.post\(".*?", cast_to=object, body=(.*)\)$/m.exec(code)?.[1];
  if (post !== undefined) return { body: jsonOfPython(post) };
  const lines =
    /^answer = client\.[\w.]+\(\n([\s\S]*?)^\)$/m.exec(code)?.[1]?.split("\n").filter(Boolean) ?? [];
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = "", value = ""] = /^ {4}(\w+)=(.*),$/.exec(line) ?? [];
      return [name, jsonOfPython(value)];
    }),
  );
}

describe("the code of a draft sends what the playground would send", () => {
  test("by curl, through a real shell", () => {
    fc.assert(
      fc.property(draft, (one) => {
        const given = shellArguments(codeOf(one, "curl"));
        expect(JSON.parse(given.at(-1) ?? "")).toEqual(asJson(bodyOfDraft(one)));
        expect(given).toContain(`${origin}/api/v1${operations[one.operation].path}`);
        expect(given).toContain("Authorization: Bearer k");
      }),
      { numRuns: 25 },
    );
  });

  test("by the client for Node", async () => {
    await fc.assert(
      fc.asyncProperty(draft, async (one) => {
        const { method, body } = await nodeCall(codeOf(one, "Node"));
        expect(method).toBe(operations[one.operation].path);
        expect(asJson(body)).toEqual(asJson(bodyOfDraft(one)));
      }),
    );
  });

  test("by the client for Python, whose methods take no argument that they do not know", () => {
    fc.assert(
      fc.property(draft, (one) => {
        const { extra_body: others = {}, body, ...named } = pythonArguments(codeOf(one, "Python"));
        expect(body ?? { ...named, ...(others as object) }).toEqual(asJson(bodyOfDraft(one)));
        if (!body)
          expect(Object.keys(named).toSorted()).toEqual(Object.keys(ownFieldsOf(one, "m", [])).toSorted());
      }),
    );
  });
});

describe("a draft as a request", () => {
  test("has the fields of the form, whatever the other parameters are", () => {
    fc.assert(
      fc.property(draft, (one) => {
        const body = bodyOfDraft(one);
        expect(body).toMatchObject(ownFieldsOf(one, one.models[0] ?? "", []));
        for (const name of Object.keys(fieldsOf(one))) expect(Object.hasOwn(body, name), name).toBe(true);
        expect(body.model).toBe(one.models[0]);
      }),
    );
  });

  test("sends nothing for what is empty", () => {
    for (const operation of Object.keys(operations) as Operation[])
      expect(
        Object.values(bodyOf({ ...emptyDraft, operation }, "m", [])).filter((value) => value == null),
      ).toEqual([]);
  });

  test("can be sent exactly when there is a model and something to ask", () => {
    fc.assert(
      fc.property(draft, (one) => {
        const { multiTurn } = operations[one.operation];
        const hasMore = one.history.length > 0 || one.images.length > 0;
        const asks = one.input.trim() !== "" || (multiTurn && hasMore);
        const hasDocuments = one.operation !== "rerank" || one.documents.trim() !== "";
        expect(problemOf(one) === null).toBe(asks && hasDocuments);
        expect(problemOf({ ...one, models: [""] })).not.toBeNull();
        expect(problemOf({ ...one, fields: "[1" })).not.toBeNull();
      }),
    );
  });
});

describe("a draft in a link", () => {
  test("is the same for whoever opens it, without its images", () => {
    fc.assert(
      fc.property(draft, (one) => {
        expect(sharedDraftOf(fragmentOf(one))).toEqual({ ...one, images: [] });
      }),
    );
  });

  test("made by somebody else breaks nothing: invalid fields get their default", () => {
    fc.assert(
      fc.property(json, (value) => {
        const fragment = `#${btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))))}`;
        const read = sharedDraftOf(fragment);
        if (read) expect(() => snippetsOf(origin, { ...read, tools: "", fields: "" })).not.toThrow();
      }),
    );
    for (const fragment of ["", "#", "#%%%", "#bm8="]) expect(sharedDraftOf(fragment)).toBeNull();
  });
});
