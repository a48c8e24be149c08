import { z } from "zod";
import { type Api, apis, operationRow } from "#contract/inference-operations.ts";
import { appRouter } from "#server/api/root.ts";
import type { Meta } from "#server/api/trpc.ts";
import { authRoutes } from "#server/auth/sign-in.ts";
import { bodyBounds } from "#server/http/body-bounds.ts";
import { inferenceHandlers } from "#server/http/inference-handler.ts";
import type { BodyBounds } from "#server/http/read-body.ts";
import { compileRoutes } from "#server/http/route-table.ts";
import { operations } from "#server/inference/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";

type Json = Record<string, unknown>;

/** One way in: where bodies are sent, what they are checked by and with what they are let in. */
export interface Entry {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly schema: z.ZodType;
  readonly bounds: BodyBounds;
  /** Bodies that are accepted; what is expensive is put into one after the other. */
  readonly bases: readonly Json[];
  readonly by: "key" | "session" | "nobody";
  /** Whether a query holds what a body would. */
  readonly byQuery?: true;
}

const chat = { messages: [{ role: "user", content: "Hello" }], max_tokens: 4 };
const response = { input: "Hello", max_output_tokens: 4 };
const message = { messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }], max_tokens: 4 };
const messageTool = { name: "f", input_schema: { type: "object" } };
const tool = { type: "function", function: { name: "f", parameters: { type: "object" } } };

/** Requests of each operation; models of the kind `package` are read by a provider's own package. */
const requests: Readonly<Record<Api, readonly Json[]>> = {
  chat: [
    { model: "test/chat", ...chat },
    { model: "test/chat", ...chat, stream: true },
    { model: "test/package", ...chat, tools: [tool] },
  ],
  responses: [
    { model: "test/chat", ...response, store: false },
    { model: "test/chat", ...response, store: true },
    { model: "test/chat", ...response, stream: true, store: false },
  ],
  messages: [
    { model: "test/chat", ...message },
    { model: "test/chat", ...message, stream: true },
    { model: "test/package", ...message, system: [{ type: "text", text: "Hi" }], tools: [messageTool] },
  ],
  completions: [{ model: "test/chat", prompt: "Hello", max_tokens: 4 }],
  embeddings: [{ model: "test/embedding", input: "Hello" }],
  rerank: [{ model: "test/rerank", query: "Hello", documents: ["a"] }],
};

const inference = (prefix: string, by: Entry["by"]): Entry[] =>
  apis.flatMap((api) => {
    const { request: schema, body } = operations[api];
    const { path, aliases = [] } = operationRow(api);
    return [path, ...aliases].map((each) => ({
      name: `POST ${prefix}${each}`,
      method: "POST",
      path: prefix + each,
      by,
      schema,
      bounds: bodyBounds[body],
      bases: requests[api],
    }));
  });

interface Definition {
  readonly type: string;
  readonly meta?: Meta;
  readonly inputs: readonly z.ZodType[];
}
const procedures = appRouter._def.procedures as unknown as Record<string, { readonly _def: Definition }>;
const definitionOf = (name: string): Definition => procedures[name]?._def ?? { type: "", inputs: [] };

const filled = (path: string) => path.replaceAll(/\{\w+\}/g, uuidv7());
const changing = new Set(["POST", "PUT", "PATCH"]);

/** What REST takes besides inference. */
const management: Entry[] = compileRoutes(appRouter)
  .filter(({ method, path }) => changing.has(method) && !inferenceHandlers.has(path))
  .flatMap(({ method, path, procedure, isProtected }) => {
    const { inputs, meta } = definitionOf(procedure);
    const [schema] = inputs;
    if (!schema) return [];
    const bounds = path.startsWith("/auth/") ? bodyBounds.entrance : bodyBounds.management;
    const bases = [meta?.example ?? {}];
    const by = isProtected ? ("key" as const) : ("nobody" as const);
    return [{ name: `${method} ${path}`, method, path: `/api/v1${filled(path)}`, schema, bounds, bases, by }];
  });

/** What a query may hold is bounded by the headers it stands among, where most of it takes three bytes each. */
const queryBounds = { ...bodyBounds.management, bytesMax: 9 * 1024 };

const overTrpc: Entry[] = Object.entries(procedures).flatMap(([name, { _def }]) => {
  const [schema] = _def.inputs;
  if (!schema) return [];
  const byQuery = _def.type === "query";
  const entry = {
    name: `tRPC ${name}`,
    method: byQuery ? "GET" : "POST",
    path: `/api/trpc/${name}`,
    schema,
    bases: [_def.meta?.example ?? {}],
    by: "session" as const,
  };
  return [byQuery ? { ...entry, byQuery, bounds: queryBounds } : { ...entry, bounds: bodyBounds.management }];
});

const text = z.string().max(64 * 1024);
const SignInBody = z.looseObject({
  email: text,
  password: text,
  newPassword: text,
  currentPassword: text,
  token: text,
  redirectTo: text,
  callbackURL: text,
});
const signIn = { email: "ada@example.eu", password: "correct horse battery", token: "a".repeat(24) };

const toSignIn: Entry[] = [...authRoutes]
  .filter(([route]) => route.startsWith("POST"))
  .map(([route, { session }]) => {
    const [method = "", path = ""] = route.split(" ");
    const by = session ? ("session" as const) : ("nobody" as const);
    return {
      name: route,
      method,
      path,
      schema: SignInBody,
      bounds: bodyBounds.entrance,
      bases: [signIn],
      by,
    };
  });

/** Every way in for a body. */
export const entries: readonly Entry[] = [
  ...inference("/api/v1", "key"),
  ...inference("/api/playground", "session"),
  ...management,
  ...overTrpc,
  ...toSignIn,
];
