import { curl } from "#app/_lib/curl.ts";
import { langChain, vercelAi } from "./client-snippets.ts";
import { bodyOf, type Draft, type Operation, operations, ownFieldsOf } from "./draft.ts";

/** Methods of the official clients; an operation they do not know goes through their plain `post`. */
const methods: Partial<Record<Operation, string>> = {
  chat: "chat.completions.create",
  responses: "responses.create",
  completions: "completions.create",
};

type Body = Record<string, unknown>;

function node(origin: string, { operation }: Draft, body: Body): string {
  const method = methods[operation];
  const json = JSON.stringify(body, null, 2);
  const call = method
    ? `client.${method}(${json})`
    : `client.post("${operations[operation].path}", { body: ${json} })`;
  return `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${origin}/api/v1",
  apiKey: process.env.PORTOLAN_API_KEY,
});
const answer = await ${call};
${body.stream ? "for await (const event of answer) console.log(event);" : "console.log(answer);"}
`;
}

const pythonLiterals = new Map<unknown, string>([
  [null, "None"],
  [true, "True"],
  [false, "False"],
]);

/** A JSON value as Python writes it. */
export function pythonOf(value: unknown): string {
  const word = pythonLiterals.get(value);
  if (word !== undefined) return word;
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}: ${pythonOf(inner)}`)
    .join(", ")}}`;
}

function python(origin: string, draft: Draft, body: Body): string {
  const { operation } = draft;
  const method = methods[operation];
  // Its methods take what they know by name, and refuse any other argument.
  const own = ownFieldsOf(draft, draft.models[0] ?? "", []);
  const isOwn = ([name]: [string, unknown]) => Object.hasOwn(own, name);
  const others = Object.entries(body).filter((entry) => !isOwn(entry));
  const named = [
    ...Object.entries(body).filter(isOwn),
    ...(others.length > 0 ? [["extra_body", Object.fromEntries(others)] as const] : []),
  ].map(([name, value]) => `    ${name}=${pythonOf(value)},\n`);
  const call = method
    ? `client.${method}(\n${named.join("")})`
    : `client.post("${operations[operation].path}", cast_to=object, body=${pythonOf(body)})`;
  return `import os
from openai import OpenAI

client = OpenAI(
    base_url="${origin}/api/v1",
    api_key=os.environ["PORTOLAN_API_KEY"],
)
answer = ${call}
${body.stream ? "for event in answer:\n    print(event)" : "print(answer)"}
`;
}

/** Longer images would fill the code. */
const imageCharsMax = 2_000;
export const imagePlaceholder = "data:image/png;base64,YOUR_IMAGE_AS_BASE64";

const readable = (draft: Draft): Draft => ({
  ...draft,
  images: draft.images.map((url) => (url.length > imageCharsMax ? imagePlaceholder : url)),
});

/** The request of a draft as a person would write it into a program. */
export function snippetsOf(origin: string, draft: Draft): { label: string; code: string }[] {
  const { path } = operations[draft.operation];
  const body = bodyOf(readable(draft), draft.models[0] ?? "", []);
  return [
    { label: "curl", code: curl({ method: "POST", url: `${origin}/api/v1${path}`, withKey: true, body }) },
    { label: "Node", code: node(origin, draft, body) },
    { label: "Python", code: python(origin, draft, body) },
    // The libraries have methods of their own for conversations only.
    ...(draft.operation === "chat"
      ? [
          { label: "Vercel AI", code: vercelAi(origin, body) },
          { label: "LangChain", code: langChain(origin, body) },
        ]
      : []),
  ];
}
