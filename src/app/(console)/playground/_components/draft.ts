import { type Api, operationRow } from "#contract/inference-operations.ts";

/** The request that a person is writing. */
export interface Draft {
  readonly operation: Operation;
  /** One or two, side by side. */
  readonly models: readonly string[];
  readonly system: string;
  /** Earlier items of the conversation, in the format of the operation. */
  readonly history: readonly Item[];
  readonly input: string;
  /** Images of the new message, as data URLs. */
  readonly images: readonly string[];
  /** One document a line, for reranking. */
  readonly documents: string;
  readonly tools: string;
  /** A JSON schema that the answer has to have. */
  readonly schema: string;
  /** A JSON object with any other field of the request: `provider`, `top_p`, `models` … */
  readonly fields: string;
  readonly temperature: number | null;
  readonly max_tokens: number | null;
  readonly stream: boolean;
}
export type Operation = Extract<Api, "chat" | "responses" | "completions" | "rerank">;
export type Item = Readonly<Record<string, unknown>>;

export const emptyDraft: Draft = {
  operation: "chat",
  models: [""],
  system: "",
  history: [],
  input: "",
  images: [],
  documents: "",
  tools: "",
  schema: "",
  fields: "",
  temperature: null,
  max_tokens: 512,
  stream: true,
};

/** A text, or parts as the operation spells them. */
export type Content = string | readonly Item[];

/** A turn of a conversation as it was sent and came back. */
export interface Turn {
  readonly role: "user" | "assistant";
  readonly content: Content;
}

type Body = Record<string, unknown>;

const withoutNulls = (body: Body): Body =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value != null));

export const documentsOf = (draft: Draft): string[] =>
  draft.documents
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

/** The tools as JSON; undefined without any. Throws SyntaxError or TypeError with what is wrong. */
export function toolsOf({ tools }: Draft): unknown[] | undefined {
  if (tools.trim() === "") return undefined;
  const parsed: unknown = JSON.parse(tools);
  if (!Array.isArray(parsed)) throw new TypeError("must be a JSON array");
  return parsed;
}

function objectOf(text: string): Body | undefined {
  if (text.trim() === "") return undefined;
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new TypeError("must be a JSON object");
  return { ...parsed };
}

/** The other parameters. Throws as `toolsOf` does. */
export const fieldsOf = ({ fields }: Draft): Body => objectOf(fields) ?? {};

/** The format of the answer; undefined without a schema. Throws as `toolsOf` does. */
function formatOf(draft: Draft): Body | undefined {
  const schema = objectOf(draft.schema);
  return schema && { name: "answer", strict: true, schema };
}

const sampling = ({ temperature, stream }: Draft): Body => ({ temperature, stream: stream || null });

/** The conversation with the new message appended. */
function messagesOf(draft: Draft, turns: readonly Turn[]) {
  const content = contentOf(draft);
  return [...draft.history, ...turns, ...(content === "" ? [] : [{ role: "user", content }])];
}

/** The format of the answer as an operation spells it. */
function asFormat(draft: Draft, spell: (format: Body) => Body): Body | undefined {
  const format = formatOf(draft);
  return format && spell(format);
}

interface OperationRow {
  readonly label: string;
  readonly path: string;
  /** Whether answers form a conversation that the next request continues. */
  readonly multiTurn: boolean;
  readonly streams: boolean;
  readonly tools: boolean;
  /** The field that limits the length of the answer. */
  readonly limit: string | null;
  /** Parts of a message with images; null where messages have only text. */
  readonly parts: { text(text: string): Item; image(url: string): Item } | null;
  body(draft: Draft, model: string, turns: readonly Turn[]): Body;
}

const servedAt = (api: Api) => {
  const { path, streams } = operationRow(api);
  return { path, streams };
};

/** The operations a person can try, and the body each of them makes of a draft's own fields. */
export const operations: Readonly<Record<Operation, OperationRow>> = {
  chat: {
    label: "Chat",
    ...servedAt("chat"),
    multiTurn: true,
    tools: true,
    limit: "max_completion_tokens",
    parts: {
      text: (text) => ({ type: "text", text }),
      image: (url) => ({ type: "image_url", image_url: { url } }),
    },
    body: (draft, model, turns) => ({
      model,
      messages: [
        ...(draft.system === "" ? [] : [{ role: "system", content: draft.system }]),
        ...messagesOf(draft, turns),
      ],
      tools: toolsOf(draft),
      response_format: asFormat(draft, (json_schema) => ({ type: "json_schema", json_schema })),
      ...sampling(draft),
    }),
  },
  responses: {
    label: "Responses",
    ...servedAt("responses"),
    multiTurn: true,
    tools: true,
    limit: "max_output_tokens",
    parts: {
      text: (text) => ({ type: "input_text", text }),
      image: (image_url) => ({ type: "input_image", image_url }),
    },
    body: (draft, model, turns) => ({
      model,
      instructions: draft.system || null,
      input: messagesOf(draft, turns),
      tools: toolsOf(draft),
      text: asFormat(draft, (format) => ({ format: { type: "json_schema", ...format } })),
      store: false,
      ...sampling(draft),
    }),
  },
  completions: {
    label: "Completion",
    ...servedAt("completions"),
    multiTurn: false,
    tools: false,
    limit: "max_tokens",
    parts: null,
    body: (draft, model) => ({ model, prompt: draft.input, ...sampling(draft) }),
  },
  rerank: {
    label: "Rerank",
    ...servedAt("rerank"),
    multiTurn: false,
    tools: false,
    limit: null,
    parts: null,
    body: (draft, model) => ({ model, query: draft.input, documents: documentsOf(draft) }),
  },
};

/** The new message: its text, or parts if it has images. */
export function contentOf({ operation, input, images }: Draft): Content {
  const { parts } = operations[operation];
  if (!parts || images.length === 0) return input;
  return [...(input === "" ? [] : [parts.text(input)]), ...images.map(parts.image)];
}

/** The fields of the request that the form itself has. Throws as `toolsOf` does. */
export function ownFieldsOf(draft: Draft, model: string, turns: readonly Turn[]): Body {
  const { body, limit } = operations[draft.operation];
  const bound = limit === null ? {} : { [limit]: draft.max_tokens };
  return withoutNulls({ ...body(draft, model, turns), ...bound });
}

/** What is sent to one model: the draft's own fields win over the other parameters. Throws as `toolsOf` does. */
export const bodyOf = (draft: Draft, model: string, turns: readonly Turn[]): Body => ({
  ...fieldsOf(draft),
  ...ownFieldsOf(draft, model, turns),
});

const hasTools = ({ operation }: Draft): boolean => operations[operation].tools;
const jsonFields = [
  ["Tools", toolsOf, hasTools],
  ["Schema of the answer", formatOf, hasTools],
  ["Other parameters", fieldsOf, () => true],
] as const;

/** Why a draft cannot be sent yet, as a message; null when it can. */
export function problemOf(draft: Draft): string | null {
  const { multiTurn, parts } = operations[draft.operation];
  const hasImages = parts !== null && draft.images.length > 0;
  if (draft.models.some((model) => model === "")) return "Choose a model";
  if (draft.input.trim() === "" && !hasImages && !(multiTurn && draft.history.length > 0))
    return draft.operation === "rerank" ? "Enter a query" : "Enter a message";
  if (draft.operation === "rerank" && documentsOf(draft).length === 0) return "Add documents, one per line";
  for (const [name, read, isUsed] of jsonFields) {
    if (!isUsed(draft)) continue;
    try {
      read(draft);
    } catch (error) {
      return `${name}: ${error instanceof Error ? error.message : "not readable"}`;
    }
  }
  return null;
}

export const isOperation = (text: string): text is Operation => Object.hasOwn(operations, text);
