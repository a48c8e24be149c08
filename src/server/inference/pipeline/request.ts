import type { RoutedRequest } from "#contract/completions.ts";
import type { Api } from "#contract/inference-operations.ts";
import type { MediaModality } from "#contract/modalities.ts";

/** The common fields of every inference request. */
export interface InferenceRequest extends RoutedRequest {
  /** OpenAI's name for the end user, in place of `user`. */
  readonly safety_identifier?: string | null | undefined;
  readonly stream?: boolean | null | undefined;
  /** Requests that share it should find their provider's prompt cache again. */
  readonly prompt_cache_key?: string | null | undefined;
}

/** The end user of a request, as its client names it. */
export const endUserOf = ({
  user,
  safety_identifier,
}: Pick<InferenceRequest, "user" | "safety_identifier">): string | null => user ?? safety_identifier ?? null;

/** A field that only endpoints with the operation itself support, and its supported values in chat. */
export interface NotInChat {
  readonly param: string;
  readonly repair: string;
}

/** The parts of a prompt that are not text. */
export interface MediaOfPrompt {
  readonly parts: number;
  /** The maximum of their tokens together if a window allows it. */
  readonly tokensMax: number;
  /** Their modalities, each once: only models that accept all of them may serve. Unknown parts have none. */
  readonly modalities: readonly MediaModality[];
}

/** The requirements of a request on an endpoint, as routing and pricing need them. */
export interface RequestEstimate {
  /** Upstream operations that can carry the request. */
  readonly apis: readonly Api[];
  /** Why chat cannot carry the request; where only chat serves the model, the refusal says so. */
  readonly notInChat?: NotInChat | undefined;
  /** The minimum of prompt tokens: a request that cannot fit is not sent. */
  readonly promptTokensMin: number;
  /** The maximum of tokens of the prompt's text. */
  readonly promptTokensMax: number;
  /** Images, sounds and files of the prompt. */
  readonly media?: MediaOfPrompt;
  /** What the client wants as an answer besides text: only models that give it may serve. */
  readonly outputModalities?: readonly MediaModality[];
  /** The provider runs tools itself and may read the prompt, with their results, several times. */
  readonly hostedTools?: boolean;
  /** The same of the longest one, if several prompts have their own window. */
  readonly promptTokensEach?: number;
  /** The length of one answer as the client limits it; null if it does not. */
  readonly maxTokens: number | null;
  /** A shorter answer than the model's own limit, in tokens, because the held credit covers no more. */
  readonly openTokens?: number;
  /** It applies to endpoints without a price too, because a budget counts tokens. */
  readonly openTokensForAll?: boolean;
  /** Number of generated answers; 0 for embeddings and rerank. */
  readonly answers: number;
  readonly searchUnits: number;
  /** The optional parameters used, named as in `supported_parameters`. */
  readonly parameters: readonly string[];
}
