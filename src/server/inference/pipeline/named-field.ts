import { tableOf } from "#server/platform/table.ts";

type Json = Record<string, unknown>;

const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Names of our fields that a provider's own API spells differently. */
const standardNames = tableOf<readonly string[]>({
  max_tokens: ["max_completion_tokens"],
  max_completion_tokens: ["max_tokens"],
  max_output_tokens: ["max_tokens", "max_completion_tokens"],
  stop_sequences: ["stop"],
  random_seed: ["seed"],
  candidate_count: ["n"],
  response_logprobs: ["logprobs"],
  thinking: ["reasoning", "reasoning_effort"],
  thinking_config: ["reasoning", "reasoning_effort"],
  thinking_budget: ["reasoning", "reasoning_effort"],
  output_config: ["reasoning_effort", "reasoning"],
  effort: ["reasoning_effort", "reasoning"],
  response_schema: ["response_format"],
  response_mime_type: ["response_format"],
});

const namePattern = /^[A-Za-z0-9_.[\]-]{1,64}$/;
const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`).replace(/^_/, "");

/** What is below these is the client's own: its schemas, whose names are content. */
const schemaFields: ReadonlySet<string> = new Set(["parameters", "schema", "input_schema"]);
/** Never what a provider of another API means by the name of something inside them. */
const containers: ReadonlySet<string> = new Set(["messages", "input", "prompt", "tools", "documents"]);

/** The deepest fields anybody names: `messages[0].content[0].cache_control.ttl`. */
const segmentsMax = 12;

/**
 * The field of `request` that a provider's path leads to, written like `messages[0].name`. Segments that are not
 * there are skipped (`body`, the role in pydantic's paths), but the last one has to be.
 */
function resolved(request: Json, segments: readonly string[]): string | undefined {
  let at: unknown = request;
  let name = "";
  for (const [position, segment] of segments.entries()) {
    const isLast = position === segments.length - 1;
    if (Array.isArray(at)) {
      const index = /^\d{1,6}$/.test(segment) ? Number(segment) : -1;
      if (index in at) {
        at = at[index];
        name += `[${index}]`;
      } else if (isLast) return undefined;
    } else if (isJson(at) && Object.hasOwn(at, segment)) {
      at = at[segment];
      name += name === "" ? segment : `.${segment}`;
      if (schemaFields.has(segment)) break;
    } else if (isLast) return undefined;
  }
  return namePattern.test(name) ? name : undefined;
}

/** A field at the top of `request` under our name for the provider's. */
function topLevel(request: Json, segment: string): string | undefined {
  const name = snakeCase(segment);
  return [name, ...(standardNames[name] ?? [])].find(
    (candidate) =>
      Object.hasOwn(request, candidate) && request[candidate] != null && namePattern.test(candidate),
  );
}

/**
 * The field of a request that a provider names by this path; undefined if the request has no such field, so that
 * nothing is passed on but names that were in the request.
 */
export function namedField(request: Json, path: string): string | undefined {
  const segments = path.split(/[.[\]'"`]+/).filter((segment) => segment !== "");
  if (segments.length === 0 || segments.length > segmentsMax || segments.includes("model")) return undefined;
  const found = resolved(request, segments);
  if (found !== undefined) return found;
  // The path of another API, such as `generation_config.topK`: its innermost segment that we know.
  for (const segment of segments.toReversed()) {
    const known = /^\d+$/.test(segment) || containers.has(segment) ? undefined : topLevel(request, segment);
    if (known !== undefined) return known;
  }
  return undefined;
}
