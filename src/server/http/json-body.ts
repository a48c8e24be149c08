import type { IncomingMessage } from "node:http";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { placeOfJsonError } from "./json-place.ts";

/** The rest of the body is not read then: this connection cannot carry another request. */
const unread = { connection: "close" };

const tooLarge = (bytesMax: number) =>
  new AppError("PAYLOAD_TOO_LARGE", `The body may have ${bytesMax} bytes at most`, {
    metadata: { bytes_max: bytesMax },
    headers: unread,
  });

const tooSlow = () =>
  new AppError("REQUEST_TIMEOUT", `The body must come within ${limits.http.bodyTimeoutMs / 1000} s`, {
    headers: unread,
  });

const cutOff = (cause?: unknown) => new AppError("BAD_REQUEST", "The body was cut off", { cause });

/**
 * Reads the whole body. Throws PAYLOAD_TOO_LARGE as soon as it is known to be longer than `bytesMax`, and
 * REQUEST_TIMEOUT when it comes too slowly.
 */
export function readBody(req: IncomingMessage, bytesMax: number): Promise<Buffer> {
  if (Number(req.headers["content-length"] ?? 0) > bytesMax) return Promise.reject(tooLarge(bytesMax));
  // Of a request whose client has left already Node tells nothing more, not even an error.
  if (req.destroyed) return Promise.reject(cutOff());
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let patience: NodeJS.Timeout | undefined;
  const settle = () => clearTimeout(patience);
  const refuse = (error: AppError) => {
    settle();
    req.pause();
    reject(error);
  };
  // A short body is here with its head, as soon as what Node has read of both is taken in.
  process.nextTick(() => {
    if (!req.complete) patience = setTimeout(() => refuse(tooSlow()), limits.http.bodyTimeoutMs);
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  req.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax) refuse(tooLarge(bytesMax));
    else chunks.push(chunk);
  });
  req.on("end", () => {
    settle();
    resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes));
  });
  req.on("error", (error) => {
    settle();
    reject(cutOff(error));
  });
  return promise;
}

/** Refuses bodies that are not plain JSON. An absent type counts as JSON, as an empty body counts as `{}`. */
export function demandJson(req: IncomingMessage): void {
  const type = req.headers["content-type"];
  if (
    type !== undefined &&
    type !== "application/json" &&
    !/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)
  ) {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", "Send the body as content-type: application/json");
  }
  const encoding = req.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", "Send the body without content-encoding");
  }
}

/** What merging would take for the prototype itself; `constructor` alone is a name like any other. */
const poisons = (value: object): boolean =>
  Object.hasOwn(value, "__proto__") ||
  (Object.hasOwn(value, "constructor") &&
    typeof value.constructor === "object" &&
    value.constructor !== null &&
    Object.hasOwn(value.constructor, "prototype"));

const isBroken = (value: unknown): boolean => typeof value === "string" && !value.isWellFormed();

/** Walks without recursion: deep input must not overflow the stack (R37). */
function guard(root: unknown, mayPoison: boolean, mayBreak: boolean): void {
  let level: unknown[] = [root];
  let keys = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= limits.body.depthMax) {
      throw new AppError("BAD_REQUEST", `The body may be nested ${limits.body.depthMax} levels deep at most`);
    }
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== "object" || value === null) continue;
      if (!Array.isArray(value)) keys += Object.keys(value).length;
      if (mayPoison && poisons(value)) {
        throw new AppError(
          "BAD_REQUEST",
          "The body may not have keys named __proto__ or constructor.prototype",
        );
      }
      if (mayBreak && [...Object.keys(value), ...Object.values(value)].some(isBroken)) {
        throw new AppError(
          "BAD_REQUEST",
          "The body has half of a surrogate pair (\\ud800 to \\udfff), as of an emoji that was cut in two",
        );
      }
      for (const inner of Array.isArray(value) ? value : Object.values(value)) {
        if (typeof inner === "object" && inner !== null) next.push(inner);
      }
    }
    if (keys > limits.body.keysMax) {
      throw new AppError("BAD_REQUEST", `The body may have ${limits.body.keysMax} keys at most`);
    }
    level = next;
  }
}

/** An escape of U+0000, not an escaped backslash before the word. */
const escapedNul = /(?<!\\)(?:\\\\)*\\u0000/;

/** An escape of either half of a surrogate pair. */
const surrogate = /\\ud[89a-f]/i;

/** What a key that poisons prototypes is written with; any letter of it may be an escape. */
const poison = /__proto__|constructor|\\u/;

/** Parses a JSON body with the limits of R37 and R38. An empty body is `{}`. Throws BAD_REQUEST with the place. */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) return {};
  const text = body.toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { line, column } = placeOfJsonError(text);
    throw new AppError("BAD_REQUEST", `The body is not valid JSON at line ${line} column ${column}`, {
      cause: error,
    });
  }
  if (text.includes("\\u0000") && escapedNul.test(text))
    throw new AppError("BAD_REQUEST", "The body may not contain the character U+0000");
  guard(value, poison.test(text), surrogate.test(text));
  return value;
}
