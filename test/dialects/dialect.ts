import { createHash } from "node:crypto";

/** What a provider sends back: a body with its type. */
export interface Sent {
  readonly type: string;
  readonly body: Buffer;
}

/** A scene every dialect can play: some thinking where there is any, a text or a call of a tool, usage. */
export interface Scene {
  readonly text: readonly string[];
  readonly reasoning: readonly string[];
  readonly call: { readonly id: string; readonly name: string; readonly input: readonly string[] } | null;
  readonly usage: {
    readonly prompt: number;
    readonly cacheRead: number;
    readonly completion: number;
    readonly reasoning: number;
  };
  /** Whether a stream ends with usage where OpenAI's clients have to ask for it; by default it does. */
  readonly usageAsked?: boolean;
}

/** One provider's API as its public reference describes it, implemented for these tests. */
export interface Dialect {
  readonly kind: string;
  /** Appended to the server's origin. */
  readonly basePath: string;
  readonly credential: string;
  /** The header that must carry the credential. */
  readonly auth: readonly [name: string, value: string];
  readonly completePath: string;
  readonly streamPath: string;
  /** Where the user's words, the limit of tokens and the names of tools must be found in a request. */
  readonly asked: {
    text(body: Body): unknown;
    maxTokens(body: Body): unknown;
    toolNames(body: Body): unknown;
    toolAnswer(body: Body): unknown;
  };
  complete(scene: Scene): Sent;
  /** `ended` false leaves out everything by which the provider says that it is done. */
  stream(scene: Scene, ended: boolean): Sent;
  /** What it puts into a stream, or in its place, when it is overloaded. */
  readonly overloaded: Sent;
  readonly hasReasoning: boolean;
  readonly embeddings?: {
    readonly path: string;
    answer(vectors: readonly (readonly number[])[]): Sent;
  };
}

/** The signature of thinking, which a provider wants back unchanged. */
export const signatureOf = (thinking: string): string =>
  createHash("sha256").update(thinking).digest("base64").slice(0, 16);

/** Request bodies of many shapes: read by path, undefined where there is nothing. */
export type Body = unknown;

/** `at(body, "messages", 0, "content")`. */
export const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );

export const json = (value: unknown): Sent => ({
  type: "application/json",
  body: Buffer.from(JSON.stringify(value)),
});

export const sse = (events: readonly (readonly [event: string | null, data: unknown])[]): Sent => ({
  type: "text/event-stream",
  body: Buffer.from(
    events
      .map(([event, data]) => {
        const text = typeof data === "string" ? data : JSON.stringify(data);
        return `${event === null ? "" : `event: ${event}\n`}data: ${text}\n\n`;
      })
      .join(""),
  ),
});

export const joined = (pieces: readonly string[]): string => pieces.join("");
