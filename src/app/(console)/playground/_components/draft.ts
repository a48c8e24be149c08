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
  /** One document a line, for reranking. */
  readonly documents: string;
  readonly tools: string;
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
  documents: "",
  tools: "",
  fields: "",
  temperature: null,
  max_tokens: 512,
  stream: true,
};

/** A turn of a conversation as it was sent and came back. */
export interface Turn {
  readonly role: "user" | "assistant";
  readonly content: string;
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

/** The other parameters. Throws as `toolsOf` does. */
export function fieldsOf({ fields }: Draft): Body {
  if (fields.trim() === "") return {};
  const parsed: unknown = JSON.parse(fields);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new TypeError("must be a JSON object");
  return { ...parsed };
}

const sampling = ({ temperature, stream }: Draft): Body => ({ temperature, stream: stream || null });

/** The conversation with the new message appended. */
const messagesOf = ({ history, input }: Draft, turns: readonly Turn[]) => [
  ...history,
  ...turns,
  ...(input === "" ? [] : [{ role: "user", content: input }]),
];

interface OperationRow {
  readonly label: string;
  readonly path: string;
  /** Whether answers form a conversation that the next request continues. */
  readonly multiTurn: boolean;
  readonly streams: boolean;
  readonly tools: boolean;
  /** The field that limits the length of the answer. */
  readonly limit: string | null;
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
    body: (draft, model, turns) => ({
      model,
      messages: [
        ...(draft.system === "" ? [] : [{ role: "system", content: draft.system }]),
        ...messagesOf(draft, turns),
      ],
      tools: toolsOf(draft),
      ...sampling(draft),
    }),
  },
  responses: {
    label: "Responses",
    ...servedAt("responses"),
    multiTurn: true,
    tools: true,
    limit: "max_output_tokens",
    body: (draft, model, turns) => ({
      model,
      instructions: draft.system || null,
      input: messagesOf(draft, turns),
      tools: toolsOf(draft),
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
    body: (draft, model) => ({ model, prompt: draft.input, ...sampling(draft) }),
  },
  rerank: {
    label: "Rerank",
    ...servedAt("rerank"),
    multiTurn: false,
    tools: false,
    limit: null,
    body: (draft, model) => ({ model, query: draft.input, documents: documentsOf(draft) }),
  },
};

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

const jsonFields = [
  ["Tools", toolsOf],
  ["Other parameters", fieldsOf],
] as const;

/** Why a draft cannot be sent yet, as a message; null when it can. */
export function problemOf(draft: Draft): string | null {
  const { multiTurn } = operations[draft.operation];
  if (draft.models.some((model) => model === "")) return "Choose a model";
  if (draft.input.trim() === "" && !(multiTurn && draft.history.length > 0))
    return draft.operation === "rerank" ? "Enter a query" : "Enter a message";
  if (draft.operation === "rerank" && documentsOf(draft).length === 0) return "Add documents, one per line";
  for (const [name, read] of jsonFields) {
    try {
      read(draft);
    } catch (error) {
      return `${name}: ${error instanceof Error ? error.message : "not readable"}`;
    }
  }
  return null;
}

export const isOperation = (text: string): text is Operation => Object.hasOwn(operations, text);
