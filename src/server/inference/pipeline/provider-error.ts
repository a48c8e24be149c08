import { limits } from "#server/platform/limits.ts";

type Json = Record<string, unknown>;

/** What an error of a provider says, whatever its shape. None of its text is passed on. */
export interface ProviderError {
  /** Codes and types, such as `insufficient_quota`. */
  readonly identifiers: string;
  /** Texts for people. */
  readonly message: string;
  /** Paths of the fields it is about, as the provider writes them: `param`, and pydantic's `loc`. */
  readonly paths: readonly string[];
  /** Google's `RetryInfo`, in milliseconds. */
  readonly retryDelayMs: number | null;
}

const { refusalBytesMax } = limits.upstream;
const depthMax = 8;
/** Members and elements of an error that are looked at. */
const valuesMax = 1_000;
const identifierKeys: ReadonlySet<string> = new Set([
  "code",
  "type",
  "status",
  "reason",
  "error_type",
  "quotaId",
  "quota_limit",
  "@type",
]);
const messageKeys: ReadonlySet<string> = new Set(["message", "msg", "error", "detail", "title"]);
/** Validators repeat parts of the request under these names. */
const echoKeys: ReadonlySet<string> = new Set(["input", "ctx", "failed_generation"]);

const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A text as JSON if it is an object or a list; undefined if it is not. */
function jsonIn(text: string): unknown {
  const start = text.trimStart()[0];
  if (start !== "{" && start !== "[") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `36s` and `36.4s` → milliseconds. */
function durationMs(text: string): number | null {
  const [, seconds] = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(text) ?? [];
  return seconds === undefined ? null : Math.ceil(Number(seconds) * 1000);
}

class Reading implements ProviderError {
  identifiers = "";
  message = "";
  readonly paths: string[] = [];
  retryDelayMs: number | null = null;
  #values = 0;
  #chars = 0;

  read(value: unknown, key: string, depth: number): void {
    if (depth > depthMax || this.#values++ > valuesMax || this.#chars > refusalBytesMax) return;
    if (typeof value === "string") this.#text(value, key, depth);
    else if (Array.isArray(value)) this.#list(value, key, depth);
    else if (isJson(value))
      for (const [name, inner] of Object.entries(value))
        if (!echoKeys.has(name)) this.read(inner, name, depth + 1);
  }

  #text(long: string, key: string, depth: number): void {
    const text = long.slice(0, refusalBytesMax);
    this.#chars += text.length;
    if (key === "param") this.paths.push(text);
    else if (key === "retryDelay") this.retryDelayMs = durationMs(text);
    else if (identifierKeys.has(key)) this.identifiers += `${text} `;
    else if (messageKeys.has(key)) {
      const inside = jsonIn(text);
      if (inside === undefined) this.message += `${text} `;
      else this.read(inside, key, depth + 1);
    }
  }

  #list(list: readonly unknown[], key: string, depth: number): void {
    if (key === "loc")
      this.paths.push(list.filter((part) => typeof part === "string" || typeof part === "number").join("."));
    else for (const one of list) this.read(one, key, depth + 1);
  }
}

/** What a provider's error says: a parsed value, or the text of a body of at most `refusalBytesMax`. */
export function readProviderError(value: unknown): ProviderError {
  const reading = new Reading();
  if (typeof value !== "string") reading.read(value, "error", 0);
  else {
    const text = value.slice(0, refusalBytesMax);
    const parsed = jsonIn(text);
    reading.read(parsed === undefined ? text : parsed, "error", 0);
  }
  return reading;
}
