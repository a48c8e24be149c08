import type {
  EmbeddingModelV4,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
  SharedV4Warning,
} from "@ai-sdk/provider";
import type { Api } from "#contract/inference-operations.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import { generating } from "#server/platform/batches.ts";
import { limits } from "#server/platform/limits.ts";
import { OutboundError } from "#server/platform/outbound.ts";
import {
  AttemptError,
  blockedPrompt,
  failureOfStatus,
  malformed,
  unsupported,
  unsupportedField,
} from "../pipeline/failures.ts";
import { type SdkModel, sdkModel } from "../reasoning/sdk-options.ts";
import { errorIn, failureOfError } from "../wires/shared/error-body.ts";
import { isJson, type Json, textOrNull } from "../wires/shared/json.ts";
import { type FactReader, factsOf } from "./answer-facts.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import type { Exchange, Probe, ProviderKind, Upstream } from "./kind.ts";
import { completionOf } from "./sdk-answer.ts";
import { callOptions } from "./sdk-request.ts";
import { ChunkWriter } from "./sdk-stream.ts";
import { addWarnings } from "./sdk-warnings.ts";

/** The address and credential of a provider. */
export interface SdkTarget {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
}

/** What a package creates for a target. */
interface SdkProvider {
  chat(model: string): LanguageModelV4;
  embedding?(model: string): EmbeddingModelV4;
}

/** Loads a package on its first use, so that other installations do not pay for it. */
export type OpenSdk = () => Promise<(target: SdkTarget) => SdkProvider>;

/** The field that a package says it does not support. */
const fieldOf = ({ message }: Error): string =>
  /tool choice/i.test(message)
    ? "tool_choice"
    : /system message/i.test(message)
      ? "messages.role"
      : "messages.content";

const unsupportedNames = new Set(["AI_UnsupportedFunctionalityError", "AI_InvalidPromptError"]);

/** The provider's error inside a package's error, or the value it could not parse. */
function failureIn(error: Error): AttemptError | null {
  const { value, data, statusCode }: Json = { ...error };
  const inside = errorIn(value) ?? errorIn(data);
  if (inside) return inside;
  if (isJson(data) || typeof data === "string") return failureOfError(data);
  if (typeof statusCode !== "number" || statusCode === 200) return null;
  return failureOfStatus(statusCode, undefined, error.message);
}

/**
 * Anything a package throws, as a failure of ours. Packages put requests and answers into their errors, so nothing of
 * them is stored.
 */
export function failureOf(thrown: unknown): AttemptError | OutboundError {
  for (let error = thrown; error; error = isError(error) ? error.cause : undefined) {
    if (error instanceof AttemptError || error instanceof OutboundError) return error;
    const failure = isError(error) ? failureIn(error) : isJson(error) ? failureOfError(error) : null;
    if (failure) return failure;
  }
  if (typeof thrown === "string") return failureOfError(thrown);
  if (isError(thrown) && unsupportedNames.has(thrown.name)) return unsupportedField(fieldOf(thrown));
  return malformed("it is not what its protocol promises", 200);
}

const isError = (value: unknown): value is Error => value instanceof Error;

/** Reports what an exchange loses, once: what we leave out, and what the package warns of. */
function reporter({ body, onDropped }: Exchange) {
  const dropped = new Set<string>();
  return {
    dropped,
    told(warnings: readonly SharedV4Warning[]): void {
      addWarnings(warnings, body, dropped);
      if (dropped.size > 0) onDropped?.([...dropped]);
    },
  };
}

/** If the reader stops, the stream and everything it opened is closed. */
async function* partsOf(
  model: LanguageModelV4,
  exchange: Exchange,
  options: LanguageModelV4CallOptions,
  includeRawChunks: boolean,
): AsyncGenerator<LanguageModelV4StreamPart, void, undefined> {
  const { stream } = await model.doStream({ ...options, includeRawChunks, abortSignal: exchange.signal });
  const reader = stream.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    yield value;
  }
}

type Model = (fetch: typeof globalThis.fetch) => Promise<LanguageModelV4>;

/** Google answers a blocked prompt with status 200 and the reason, without an answer. */
const isBlockedPrompt = (metadata: SharedV4ProviderMetadata | undefined): boolean => {
  const feedback = metadata?.google?.promptFeedback;
  return isJson(feedback) && textOrNull(feedback.blockReason) !== null;
};

const chatUpstream = (open: Model, about: SdkModel, reader: FactReader): Upstream => ({
  async complete(exchange) {
    const { fetch, close } = guardedFetch(exchange, limits.upstream.firstByteTimeoutMs);
    const report = reporter(exchange);
    try {
      const options = callOptions(exchange.body, about, report.dropped);
      const model = await open(fetch);
      const answer = await model.doGenerate({ ...options, abortSignal: exchange.signal });
      report.told(answer.warnings);
      if (isBlockedPrompt(answer.providerMetadata)) throw blockedPrompt();
      if (answer.finishReason.raw === undefined) throw malformed("it names no end", 200);
      return completionOf(answer, reader);
    } catch (error) {
      throw failureOf(error);
    } finally {
      close();
    }
  },
  stream: generating(async function* (exchange: Exchange) {
    const { fetch, close } = guardedFetch(exchange, limits.upstream.streamFirstByteTimeoutMs);
    const writer = new ChunkWriter(reader);
    const report = reporter(exchange);
    try {
      const options = callOptions(exchange.body, about, report.dropped);
      for await (const part of partsOf(await open(fetch), exchange, options, reader.from === "json")) {
        if (part.type === "error") throw part.error;
        if (part.type === "finish" && isBlockedPrompt(part.providerMetadata)) throw blockedPrompt();
        if (part.type === "stream-start") report.told(part.warnings);
        for (const value of writer.write(part)) yield [value];
      }
    } catch (error) {
      throw failureOf(error);
    } finally {
      close();
    }
  }),
});

function textsOf({ input }: Json): string[] {
  const texts = typeof input === "string" ? [input] : input;
  if (Array.isArray(texts) && texts.every((text): text is string => typeof text === "string")) return texts;
  throw unsupported("token arrays");
}

const asBase64 = (vector: readonly number[]): string =>
  Buffer.from(new Float32Array(vector).buffer).toString("base64");

/** Fields of an embedding request that no package takes; Azure's takes the user. */
const lackedByPackages = (kind: string): readonly string[] =>
  kind === "azure" ? ["input_type"] : ["input_type", "user"];

const embeddingUpstream = (
  kind: string,
  open: (fetch: typeof globalThis.fetch) => Promise<EmbeddingModelV4>,
): Upstream => ({
  async complete(exchange) {
    const { firstByteTimeoutMs, packageVectors } = limits.upstream;
    const { fetch, close } = guardedFetch(exchange, firstByteTimeoutMs, packageVectors);
    const { dimensions, encoding_format: format, user } = exchange.body;
    const dropped = lackedByPackages(kind).filter((name) => exchange.body[name] != null);
    if (dropped.length > 0) exchange.onDropped?.(dropped);
    // Azure's package takes dimensions in its own options only.
    const openai = {
      ...(typeof dimensions === "number" && { dimensions }),
      ...(typeof user === "string" && { user }),
    };
    const values = textsOf(exchange.body);
    try {
      const model = await open(fetch);
      const batch = (await model.maxEmbeddingsPerCall) ?? values.length;
      const vectors: (readonly number[])[] = [];
      let tokens = 0;
      for (let from = 0; from < values.length; from += batch) {
        const answer = await model.doEmbed({
          values: values.slice(from, from + batch),
          ...(typeof dimensions === "number" && { dimensions }),
          ...(kind === "azure" && { providerOptions: { openai } }),
          abortSignal: exchange.signal,
        });
        vectors.push(...answer.embeddings);
        tokens += answer.usage?.tokens ?? 0;
      }
      return {
        object: "list",
        data: vectors.map((vector, index) => ({
          object: "embedding",
          index,
          embedding: format === "base64" ? asBase64(vector) : vector,
        })),
        ...(tokens > 0 && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
      };
    } catch (error) {
      throw failureOf(error);
    } finally {
      close();
    }
  },
  stream: generating(async function* (): AsyncGenerator<readonly unknown[], void, undefined> {
    yield* [];
    throw unsupported("streamed embeddings");
  }),
});

/** A kind whose wire is an AI SDK package. On our side its JSON is OpenAI's. */
export function sdkKind(kind: string, title: string, load: OpenSdk, probe?: Probe): ProviderKind {
  const reader = factsOf(kind);
  return {
    kind,
    title,
    needsCredential: true,
    ...(probe && { probe }),
    upstream({ provider, upstreamModel, model: { id } }: Endpoint, api: Api, credential) {
      const { baseUrl } = provider;
      // Without a credential a package would use those in the environment of the server.
      if (!baseUrl || !credential?.trim()) return null;
      const open = async (fetch: typeof globalThis.fetch) =>
        (await load())({ baseURL: baseUrl, apiKey: credential, fetch });
      if (api === "chat") {
        const about = sdkModel(kind, upstreamModel, id);
        return chatUpstream(async (fetch) => (await open(fetch)).chat(upstreamModel), about, reader);
      }
      if (api !== "embeddings") return null;
      return embeddingUpstream(kind, async (fetch) => {
        const model = (await open(fetch)).embedding?.(upstreamModel);
        if (!model) throw unsupported("embeddings");
        return model;
      });
    },
  };
}
