import { tableOf } from "#server/platform/table.ts";
import { isJson, type Json, textOrNull } from "../wires/shared/json.ts";

/** Where a fact stands in chat's form of an answer. */
export type Place = "answer" | "choice" | "message";

/**
 * An object in a provider's answer, complete or a piece of a stream. Each of its members is a fact for the client and
 * passes under its own name, except those in `read`: they are read one by one elsewhere, or identify the provider's
 * own records.
 */
interface Level {
  readonly place: Place;
  find(answer: Json): unknown;
  readonly read: ReadonlySet<string>;
}

/** The facts in the answers of one kind. */
interface FactTable {
  /** `json`: the provider's own JSON. `metadata`: what the package keeps of it, at the end of a stream. */
  readonly from: "json" | "metadata";
  readonly levels: readonly Level[];
  /** The package's sources stand among the facts already, with more detail. */
  readonly hasSources?: true;
  /** The provider's own usage, where the package does not keep all of it. */
  usage?(answer: Json): unknown;
}

const setOf = (...names: readonly string[]): ReadonlySet<string> => new Set(names);
const none = setOf();

const firstOf = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined);
/** A member of an object; undefined of anything else. */
export const memberOf = (of: unknown, name: string): unknown => (isJson(of) ? of[name] : undefined);

/** An object of one member, or nothing if that has no value. */
const only = (name: string, value: unknown): Json | undefined =>
  value == null || (Array.isArray(value) && value.length === 0) ? undefined : { [name]: value };

const openAiChoice = ({ choices }: Json): unknown => firstOf(choices);
const openAiMessage = (answer: Json): unknown => {
  const choice = openAiChoice(answer);
  return memberOf(choice, "message") ?? memberOf(choice, "delta");
};

/** Answers in OpenAI's form. */
const openAiLevels = (...messageMembers: readonly string[]): readonly Level[] => [
  {
    place: "answer",
    find: (answer) => answer,
    read: setOf("id", "object", "created", "model", "choices", "usage", "error"),
  },
  {
    place: "choice",
    find: openAiChoice,
    read: setOf("index", "finish_reason", "logprobs", "message", "delta"),
  },
  { place: "message", find: openAiMessage, read: setOf("role", "content", "tool_calls", ...messageMembers) },
];

/** The message of Anthropic's, complete or at the beginning of a stream. */
const anthropicMessage = (answer: Json): unknown =>
  answer.type === "message_start" ? answer.message : answer.type === "message" ? answer : undefined;

const anthropicMembers = setOf(
  ...["id", "type", "role", "model", "content", "usage"],
  ...["stop_reason", "stop_sequence", "service_tier"],
);

/** The sequence that ended an answer, from a message or the end of a stream. */
const anthropicStop = (answer: Json): unknown =>
  only("stop_sequence", memberOf(answer.type === "message_delta" ? answer.delta : answer, "stop_sequence"));

/** Citations of a message's texts, complete or one of a stream. */
function anthropicCitations({ type, content, delta }: Json): unknown {
  if (type === "content_block_delta") return only("citations", citationIn(delta));
  const blocks: unknown[] = type === "message" && Array.isArray(content) ? content : [];
  return only(
    "citations",
    blocks.flatMap((block): unknown => memberOf(block, "citations") ?? []),
  );
}

const citationIn = (delta: unknown): unknown =>
  isJson(delta) && delta.type === "citations_delta" ? [delta.citation] : undefined;

/** References of a message's texts to search results. */
function mistralReferences(answer: Json): unknown {
  const content = memberOf(openAiMessage(answer), "content");
  const parts: unknown[] = Array.isArray(content) ? content : [];
  return only(
    "references",
    parts.filter((part) => memberOf(part, "type") === "reference"),
  );
}

/**
 * What the answers of each kind have beside text, reasoning, tools, files and usage. Complete and streamed answers are
 * read by the same rows. A member that no row names passes, so that what a provider adds is not lost.
 */
const tables = tableOf<FactTable>({
  azure: {
    from: "json",
    levels: openAiLevels(),
    hasSources: true,
    usage: ({ usage }) => usage,
  },
  mistral: {
    from: "json",
    levels: [
      ...openAiLevels("prefix"),
      { place: "message", find: mistralReferences, read: none },
      {
        place: "answer",
        find: ({ usage }) => only("service_tier", memberOf(usage, "service_tier")),
        read: none,
      },
    ],
  },
  google: {
    from: "json",
    levels: [
      {
        place: "answer",
        find: (answer) => answer,
        read: setOf("candidates", "usageMetadata", "modelVersion", "responseId", "createTime", "error"),
      },
      {
        place: "choice",
        find: ({ candidates }) => firstOf(candidates),
        read: setOf("content", "finishReason", "index", "tokenCount"),
      },
    ],
  },
  anthropic: {
    from: "json",
    levels: [
      { place: "answer", find: anthropicMessage, read: anthropicMembers },
      {
        place: "answer",
        find: (answer) => (answer.type === "message_delta" ? answer : undefined),
        read: setOf("type", "delta", "usage"),
      },
      {
        place: "answer",
        find: ({ type, delta }) => (type === "message_delta" ? delta : undefined),
        read: anthropicMembers,
      },
      { place: "choice", find: anthropicStop, read: none },
      { place: "message", find: anthropicCitations, read: none },
    ],
  },
  bedrock: {
    from: "metadata",
    levels: [
      {
        place: "answer",
        find: ({ amazonBedrock }) => amazonBedrock,
        read: setOf("usage", "serviceTier", "stopSequence", "isJsonResponseFromTool"),
      },
      {
        place: "choice",
        find: ({ amazonBedrock }) => only("stop_sequence", memberOf(amazonBedrock, "stopSequence")),
        read: none,
      },
    ],
  },
});

const noTable: FactTable = { from: "json", levels: [] };

/** Facts by their place; a place without any is absent. */
export type Facts = Partial<Record<Place, Json>>;

export const noFacts: Facts = {};

/** How the facts in the answers of a kind are found. */
export interface FactReader {
  readonly kind: string;
  readonly from: FactTable["from"];
  readonly hasSources: boolean;
  /** What a provider's JSON, or a package's metadata, says beside the answer. */
  facts(answer: unknown): Facts;
  usage(answer: unknown): Json | null;
}

function readFacts(levels: readonly Level[], answer: Json): Facts {
  let facts: Partial<Record<Place, Json>> | null = null;
  for (const { place, find, read } of levels) {
    const level = find(answer);
    if (!isJson(level)) continue;
    for (const name in level) {
      if (read.has(name) || level[name] == null || name === "__proto__") continue;
      facts ??= {};
      facts[place] = { ...facts[place], [name]: level[name] };
    }
  }
  return facts ?? noFacts;
}

/** The facts of a kind that goes through a package. */
export function factsOf(kind: string): FactReader {
  const { from, levels, hasSources = false, usage } = tables[kind] ?? noTable;
  return {
    kind,
    from,
    hasSources,
    facts: (answer) => (isJson(answer) ? readFacts(levels, answer) : noFacts),
    usage(answer) {
      const own = usage && isJson(answer) ? usage(answer) : null;
      return isJson(own) ? own : null;
    },
  };
}

/** The name of a service tier; Bedrock has it in an object. */
export const tierName = (tier: unknown): string | null =>
  textOrNull(tier) ?? textOrNull(memberOf(tier, "type"));
