import type { IncomingHttpHeaders } from "node:http";
import type { Api } from "#contract/inference-operations.ts";
import type { Scene, Sent } from "#test/dialects/dialect.ts";
import type { Members } from "./heard.ts";
import type { Check, Json, Problem } from "./shape.ts";

/** A request as a provider gets it. */
export interface Asked {
  /** Without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
}
/** A status with a JSON body, as a provider refuses or fails. */
export interface Refusal {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}
/** Null if the request keeps the rule. */
export type Rule = (body: Json, asked: Asked) => Refusal | null;

/** What a conversation asks for, in any wire. */
export interface Wanted {
  /** Name of the first tool the model may call. */
  readonly tool: string | null;
  /** Results of tools that the conversation contains already. */
  readonly results: number;
  readonly thinks: boolean;
}

/** One operation of a provider. */
export interface Route {
  readonly api: Api;
  readonly path: RegExp;
  readonly rules: readonly Rule[];
  /** A stream is requested by the body, or by its own path. */
  readonly streams: (asked: Asked) => boolean;
  readonly answer: (asked: Asked, streamed: boolean, toolCalls: number) => Sent;
}

/** A provider's API with the rules of its public reference. */
export interface Mock {
  readonly name: string;
  /** The kind of provider that it is for Portolan. */
  readonly kind: string;
  readonly basePath: string;
  /** Models, one of each family that has rules of its own. The first one is the usual one. */
  readonly models: readonly [string, ...string[]];
  readonly auth: readonly [header: string, prefix: string];
  readonly isStrict: boolean;
  /** What has an effect at a lenient provider, by operation, where its reference says so. */
  readonly reads?: Readonly<Partial<Record<Api, Members>>>;
  readonly routes: readonly Route[];
  readonly unauthorized: Refusal;
  readonly notFound: Refusal;
  /** Errors that the provider is known for, by a short name. */
  readonly failures: Readonly<Record<string, Refusal>>;
}

export const firstRefusal = (rules: readonly Rule[], asked: Asked): Refusal | null => {
  for (const rule of rules) {
    const refusal = rule(asked.body, asked);
    if (refusal) return refusal;
  }
  return null;
};

/** A shape as a rule, with the provider's own words for a problem. */
export const shaped =
  (check: Check, refuse: (problem: Problem) => Refusal): Rule =>
  (body) => {
    const problem = check(body, []);
    return problem && refuse(problem);
  };

/** What a mock says in answer to a conversation: a call while it has calls left, otherwise a text. */
export function sceneOf({ tool, results, thinks }: Wanted, toolCalls: number, id: string): Scene {
  const calls = tool !== null && results < toolCalls;
  return {
    reasoning: thinks ? [`Step ${results}: `, "ça va ☀️."] : [],
    text: calls ? [] : ["Bon", "jour — ", "☀️", " é".repeat(3)],
    call: calls ? { id, name: tool, input: ['{"ci', 'ty":"Orléans"}'] } : null,
    usage: { prompt: 20, cacheRead: 8, completion: 12, reasoning: thinks ? 4 : 0 },
  };
}
