import { choiceExtras, extrasBeside } from "../shared/answer-extras.ts";
import { type Json, textOrNull } from "../shared/json.ts";
import type { ChatChunk } from "./wire.ts";

/** Members of a message that other operations have their own places for. */
const messageMembers = [
  ...["role", "content", "refusal", "tool_calls", "function_call"],
  ...["reasoning", "reasoning_content", "reasoning_details"],
] as const;

/** Members of a choice in which providers name the stop sequence that ended it. */
const stopMembers = ["stop_sequence", "matched_stop", "stop_reason"] as const;

/**
 * Collects what a chat answer, its choice and its message say beside the content, for operations that have one object
 * for all of it. `places`: further members of a message that the operation has a place for.
 */
export class CollectedFacts {
  readonly #ofMessage;
  #facts: Json | null = null;
  #tier: string | null = null;

  constructor(...places: readonly string[]) {
    this.#ofMessage = extrasBeside([...messageMembers, ...places]);
  }

  /** Adds a complete answer or a piece of one. Lists of a message's pieces are joined, other members replaced. */
  add({ choices, extras, serviceTier }: ChatChunk): void {
    this.#tier = serviceTier ?? this.#tier;
    if (extras) this.#set(extras);
    for (const choice of choices) {
      const own = choiceExtras(choice);
      if (own) this.#set(own);
      const said = this.#ofMessage(choice.message ?? choice.delta ?? {});
      if (said) this.#join(said);
    }
  }

  /** Everything so far, without the service tier; null without any. */
  facts(): Json | null {
    return this.#facts;
  }

  serviceTier(): string | null {
    return this.#tier;
  }

  /** Which of these stop sequences ended the answer, if the provider names it. */
  stopSequence(asked: readonly string[]): string | null {
    for (const name of stopMembers) {
      const sequence = textOrNull(this.#facts?.[name]);
      // Some providers put other words there.
      if (sequence !== null && asked.includes(sequence)) return sequence;
    }
    return null;
  }

  #set({ service_tier: _, ...facts }: Json): void {
    if (Object.keys(facts).length > 0) this.#facts = { ...this.#facts, ...facts };
  }

  #join(said: Json): void {
    const facts = { ...this.#facts };
    for (const [name, value] of Object.entries(said)) {
      const before = facts[name];
      facts[name] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
    }
    this.#facts = facts;
  }
}
