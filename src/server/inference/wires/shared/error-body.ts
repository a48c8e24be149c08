import { type AttemptError, failureOfRefusal } from "#server/inference/pipeline/failures.ts";
import { limits } from "#server/platform/limits.ts";
import { isJson, type Json, textOrNull } from "./json.ts";

const { refusalBytesMax } = limits.upstream;

/** Words that name an error, by the status they stand for; the first that fits counts. */
const statusByWord: readonly (readonly [RegExp, number])[] = [
  [/overload|capacity/i, 529],
  [/unavailable|busy/i, 503],
  [/rate.?limit|too.?many.?requests|resource.?exhausted|throttl/i, 429],
  [/quota|billing|payment|credit.?balance/i, 402],
  [/time.?out|timed.?out|deadline/i, 504],
  [/authenticat|unauthori[sz]ed|api.?key/i, 401],
  [/permission|forbidden/i, 403],
  [/image|policy|prompt|context.?length|content.?filter/i, 400],
  [/not.?found/i, 404],
  [/too.?large/i, 413],
  [/invalid|bad.?request|unprocessable|unsupported|validation/i, 400],
];

/** Of free text only what passes by itself is understood; the rest is an error of the provider's. */
const passing = new Set([529, 503, 429, 504]);

const isErrorStatus = (value: number): boolean => Number.isInteger(value) && value >= 400 && value < 600;

function numberIn({ code, status, status_code, statusCode, http_status }: Json): number | undefined {
  return [code, status, status_code, statusCode, http_status].map(Number).find(isErrorStatus);
}

const wordIn = (text: string): number | undefined => statusByWord.find(([word]) => word.test(text))?.[1];

/** The status an error object stands for: the one it names, else that of its words; 500 where nothing says more. */
function statusOf(error: Json): number {
  const named = numberIn(error);
  if (named !== undefined) return named;
  const identifiers = [error.code, error.type, error.status].filter((one) => typeof one === "string");
  const byIdentifier = wordIn(identifiers.map((one) => one.slice(0, refusalBytesMax)).join(" "));
  if (byIdentifier !== undefined) return byIdentifier;
  const byMessage = wordIn((textOrNull(error.message) ?? "").slice(0, refusalBytesMax));
  return byMessage !== undefined && passing.has(byMessage) ? byMessage : 500;
}

/**
 * The failure for a provider's error object or text. Its words only determine the kind of failure and are not stored.
 */
export function failureOfError(error: unknown): AttemptError {
  if (isJson(error)) return failureOfRefusal({ status: statusOf(error), body: error });
  return failureOfRefusal({ status: statusOf({ message: textOrNull(error) }) });
}

/** Members by which an answer is known. */
const answers = ["choices", "data", "results", "output", "embeddings", "response", "delta", "item"] as const;

/** `{"message": …, "code": …}` and `{"detail": …}`, as some providers tell errors without an `error` around them. */
function isFlatError(value: Json): boolean {
  if (answers.some((name) => value[name] !== undefined)) return false;
  if (typeof value.detail === "string" || Array.isArray(value.detail)) return true;
  return typeof value.message === "string" && (value.code ?? value.type ?? value.status) !== undefined;
}

const isEmpty = (error: unknown): boolean => isJson(error) && Object.keys(error).length === 0;

/**
 * The error in an answer of status 200, or in an event of one: `{"error": …}` with an object or a text,
 * `{"type": "error"}`, `{"object": "error"}`, an error without anything around it, or a list of one of these. Null
 * when the value is no error.
 */
export function errorIn(value: unknown): AttemptError | null {
  if (!isJson(value)) return Array.isArray(value) && value.length === 1 ? errorIn(value[0]) : null;
  const { error, choices } = value;
  if (error) {
    if (isEmpty(error) && choices !== undefined) return null;
    // Some tell the status beside the error.
    const { code, status } = value;
    return failureOfError({ code, status, ...(isJson(error) ? error : { message: error }) });
  }
  // Nearly every event is one of these.
  if (choices !== undefined) return null;
  const isError = value.type === "error" || value.type === "response.error" || value.object === "error";
  return isError || isFlatError(value) ? failureOfError(value) : null;
}
