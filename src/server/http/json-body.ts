import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ByteHold } from "#server/platform/byte-budget.ts";
import { pathText } from "#server/platform/describe-issues.ts";
import { AppError } from "#server/platform/errors.ts";
import { type JsonBounds, JsonGuard } from "#server/platform/json-guard.ts";
import { limits } from "#server/platform/limits.ts";
import { JsonNameError, JsonSyntaxError, parseWithYields } from "#server/platform/parse-with-yields.ts";
import { placeOfJsonError } from "./json-place.ts";
import { repeatedName } from "./json-repeats.ts";
import { type BodyBounds, type CountedBody, countBytes, readBody } from "./read-body.ts";
import { findUnstorable, type JsonPath, type Unstorable } from "./unstorable.ts";

/** Refuses bodies that are not plain JSON. A missing type counts as JSON, an empty body as `{}`. */
export function assertJson(req: IncomingMessage): void {
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

const refusal = (path: JsonPath, problem: string): AppError => {
  const name = pathText(path);
  return new AppError("BAD_REQUEST", `${name || "The body"}: ${problem}`, { param: name || null });
};

const poisoned = () =>
  new AppError("BAD_REQUEST", "The body may not have keys named __proto__ or constructor.prototype");

/**
 * Counts the members of all objects in a value. Its depth is limited before, so recursion is safe. Throws for names
 * that merging would treat as the prototype; `constructor` alone is an ordinary name.
 */
function membersIn(value: object): number {
  let members = 0;
  if (Array.isArray(value)) {
    for (const inner of value) if (typeof inner === "object" && inner !== null) members += membersIn(inner);
    return members;
  }
  for (const name of Object.keys(value)) {
    const inner: unknown = (value as Record<string, unknown>)[name];
    members++;
    if (name === "__proto__") throw poisoned();
    if (typeof inner !== "object" || inner === null) continue;
    if (name === "constructor" && Object.hasOwn(inner, "prototype")) throw poisoned();
    members += membersIn(inner);
  }
  return members;
}

const unstorable: Record<Unstorable, string> = {
  nul: "may not contain the character U+0000",
  surrogate: "contains half of a surrogate pair (\\ud800 to \\udfff), as in an emoji that was cut in two",
};

const repeated = "is given twice";
const notUtf8 = () => new AppError("BAD_REQUEST", "The body is not valid UTF-8");

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw notUtf8();
  return bytes.toString("utf8");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { line, column } = placeOfJsonError(text);
    throw new AppError("BAD_REQUEST", `The body is not valid JSON at line ${line} column ${column}`, {
      cause: error,
    });
  }
}

const membersOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? membersIn(value) : 0;

function refuseUnstorable(value: unknown, guard: JsonGuard): void {
  const found = guard.hasUnstorable ? findUnstorable(value) : null;
  if (found) throw refusal(found.path, unstorable[found.what]);
}

/** Parses a body that passed its guard. An empty one is `{}`. Throws BAD_REQUEST with the place. */
export function parseJson({ bytes, guard }: CountedBody): unknown {
  if (bytes.length === 0) return {};
  const text = textOf(bytes);
  const value = parse(text);
  refuseUnstorable(value, guard);
  // The parser uses the last of two equal names, but other parsers use the first.
  const path = membersOf(value) === guard.keys ? null : repeatedName(text);
  if (path) throw refusal(path, repeated);
  return value;
}

/** Parses JSON from elsewhere, such as a query, with the same checks. Throws BAD_REQUEST. */
export function parseBytes(bytes: Buffer, bounds: JsonBounds): unknown {
  const guard = new JsonGuard(bounds);
  countBytes(guard, bytes);
  return parseJson({ bytes, guard });
}

/** The same for a long body, with other work in between. */
async function parseLong({ bytes, guard }: CountedBody): Promise<unknown> {
  if (!isUtf8(bytes)) throw notUtf8();
  await nextTurn();
  const value = await parseWithYields(bytes).catch((error: unknown) => {
    if (error instanceof JsonSyntaxError)
      throw new AppError("BAD_REQUEST", `The body is not valid JSON at byte ${error.offset}`, {
        cause: error,
      });
    if (error instanceof JsonNameError)
      throw error.path.at(-1) === "__proto__" ? poisoned() : refusal(error.path, repeated);
    throw error;
  });
  await nextTurn();
  refuseUnstorable(value, guard);
  membersOf(value);
  await nextTurn();
  return value;
}

/** Reads and parses a body. Throws like `readBody` and `parseJson`. */
export async function readJson(
  req: IncomingMessage,
  bounds: BodyBounds,
  hold: ByteHold,
): Promise<{ readonly bytes: Buffer; readonly value: unknown }> {
  const body = await readBody(req, bounds, hold);
  const { bytes } = body;
  return {
    bytes,
    value: bytes.length > limits.body.yieldAboveBytes ? await parseLong(body) : parseJson(body),
  };
}
