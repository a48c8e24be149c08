import type { ModelType } from "#contract/inference-operations.ts";
import type {
  ProbedModel,
  ProviderProbe,
  ProviderProbeRequest,
  probedServers,
} from "#contract/provider-probe.ts";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { type Outbound, OutboundError } from "#server/platform/outbound.ts";
import { findModel, nameMeant } from "./lookup.ts";
import type { Catalogue } from "./types.ts";

type Server = (typeof probedServers)[number];
type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null;
const itemsOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isJson) : []);

interface Listed {
  readonly id: string;
  readonly contextLength: number | null;
}

/** What an address of a server answered: an API with its models, or the status. */
interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Servers by how they sign their lists of models. */
const signatures: Readonly<Record<string, Server>> = {
  vllm: "vllm",
  library: "ollama",
  llamacpp: "llama-cpp",
};

const nameCharsMax = 200;
const isName = (name: unknown): name is string =>
  typeof name === "string" && name !== "" && name.length <= nameCharsMax && /^[\x21-\x7e]+$/.test(name);
const positive = (value: unknown): number | null =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null;

function listedIn(items: readonly Json[], nameOf: (item: Json) => unknown): Listed[] {
  return items.slice(0, limits.catalogue.probedModelsMax).flatMap((item) => {
    const id = nameOf(item);
    const meta = isJson(item.meta) ? item.meta : {};
    const contextLength =
      positive(item.max_model_len) ?? positive(item.context_length) ?? positive(meta.n_ctx_train);
    return isName(id) ? [{ id, contextLength }] : [];
  });
}

/** OpenAI's list of models, and who signed it. */
function openAiList(body: unknown): { server: Server; models: Listed[] } | null {
  if (!isJson(body) || !Array.isArray(body.data)) return null;
  const items = itemsOf(body.data);
  const server = items.flatMap(({ owned_by }) => signatures[String(owned_by)] ?? []).at(0);
  return { server: server ?? "openai-compatible", models: listedIn(items, ({ id }) => id) };
}

/** Ollama's own list of models. */
function ollamaList(body: unknown): { server: Server; models: Listed[] } | null {
  if (!isJson(body) || !Array.isArray(body.models)) return null;
  return { server: "ollama", models: listedIn(itemsOf(body.models), ({ name }) => name) };
}

/** Where lists of models are looked for, in this order, and the base URL that follows from them. */
function placesOf(address: string) {
  const base = address.replace(/\/+$/, "");
  const { origin } = new URL(base);
  const versioned = /\/v\d+$/.test(base);
  return [
    { url: `${base}/models`, base_url: base, read: openAiList },
    ...(versioned ? [] : [{ url: `${base}/v1/models`, base_url: `${base}/v1`, read: openAiList }]),
    { url: `${origin}/api/tags`, base_url: `${origin}/v1`, read: ollamaList },
  ];
}

async function ask(
  outbound: Outbound,
  url: string,
  key: string | undefined,
  deadlineMs: number,
): Promise<Answer> {
  const response = await outbound.send({
    url: new URL(url),
    method: "GET",
    headers: { accept: "application/json", ...(key && { authorization: `Bearer ${key}` }) },
    firstByteTimeoutMs: limits.catalogue.probeTimeoutMs,
    idleTimeoutMs: limits.catalogue.probeTimeoutMs,
    deadlineMs,
  });
  if (response.status !== 200) {
    response.abort();
    return { status: response.status, body: null };
  }
  const text = await response.text(limits.catalogue.probeBytesMax);
  try {
    return { status: 200, body: JSON.parse(text) };
  } catch {
    // Not JSON, so not the API that is looked for.
    return { status: 200, body: null };
  }
}

const guesses: readonly (readonly [RegExp, ModelType])[] = [
  [/rerank/i, "rerank"],
  [/embed|\bbge\b|\be5\b|\bgte\b|minilm/i, "embedding"],
];

/** A name in the form of a catalogue's model id: `Qwen/Qwen3-8B` → `qwen/qwen3-8b`, `llama3.2:3b` → `own/llama3.2-3b`. */
function newId(id: string): string {
  const parts = id
    .toLowerCase()
    .split("/")
    .map((part) => part.replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, ""))
    .filter((part) => part !== "");
  const name = parts.at(-1) ?? "model";
  return `${parts.at(-2) ?? "own"}/${name}`;
}

function modelOf(catalogue: Catalogue, { id, contextLength }: Listed): ProbedModel {
  const suggested = newId(id);
  const known = findModel(catalogue, nameMeant(catalogue, suggested) ?? suggested);
  return {
    id,
    model: known?.id ?? suggested,
    known: known !== undefined,
    type: known?.type ?? guesses.find(([pattern]) => pattern.test(id))?.[1] ?? "chat",
    context_length: contextLength,
  };
}

const failed = (base_url: string, message: string, rest: Partial<ProviderProbe> = {}): ProviderProbe => ({
  ...{ success: false, message, base_url, server: null, auth: null, setting: null, models: [] },
  ...rest,
});

/** The reason in words of ours: nothing of what a resolver or server said. */
function failureOf(base_url: string, { failure, message }: OutboundError, setting: string): ProviderProbe {
  if (failure === "blocked")
    return failed(base_url, `${message}. The operator adds it there and restarts the server.`, { setting });
  if (failure === "timeout") return failed(base_url, "The server did not answer in time");
  if (failure === "too_large") return failed(base_url, "The server's list of models is too long");
  return failed(base_url, "The server could not be reached. Check the host name, the port and the scheme");
}

/** Asks an address which API it has and which models it serves. Bounded in time and size; nothing is stored. */
export async function probeProvider(
  outbound: Outbound,
  catalogue: Catalogue,
  { base_url: address, key }: ProviderProbeRequest,
): Promise<ProviderProbe> {
  const deadlineMs = clock.monotonicMs() + limits.catalogue.probeTimeoutMs;
  let refused = false;
  try {
    for (const { url, base_url, read } of placesOf(address)) {
      const { status, body } = await ask(outbound, url, key, deadlineMs);
      refused ||= status === 401 || status === 403;
      const list = read(body);
      if (!list) continue;
      const models = list.models.map((one) => modelOf(catalogue, one));
      const count = `${models.length} ${models.length === 1 ? "model" : "models"}`;
      const auth = key ? "bearer" : list.server === "ollama" ? "none" : "bearer-optional";
      return {
        success: true,
        message: `Found ${count}`,
        base_url,
        server: list.server,
        auth,
        setting: null,
        models,
      };
    }
  } catch (error) {
    if (error instanceof OutboundError) return failureOf(address, error, outbound.setting);
    throw error;
  }
  if (refused)
    return failed(
      address,
      key ? "The server does not accept the credential" : "The server needs a credential",
      { auth: "bearer" },
    );
  return failed(
    address,
    "The server answers, but lists no models in the format of OpenAI or Ollama. Add the models by hand",
  );
}
