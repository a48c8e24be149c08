import type { RoutedRequest } from "#contract/completions.ts";
import type { Api } from "#contract/inference-operations.ts";

/** What every inference request carries, whatever it asks for. */
export interface InferenceRequest extends RoutedRequest {
  readonly stream?: boolean | null | undefined;
  /** Prompts that share it are to find their provider's cache again. */
  readonly prompt_cache_key?: string | null | undefined;
}

/** A field that only endpoints with the operation itself can take, and what would be right for one that chats. */
export interface NotInChat {
  readonly param: string;
  readonly repair: string;
}

/** How much a request asks of an endpoint, in the terms routing and pricing know. */
export interface RequestEstimate {
  /** Upstream operations that can carry the request. */
  readonly apis: readonly Api[];
  /** Why chat cannot carry the request; where only chat serves the model, the request is refused with it. */
  readonly notInChat?: NotInChat | undefined;
  /** Fewer tokens than this the prompt hardly has: what cannot fit is not sent. */
  readonly promptTokensMin: number;
  /** More tokens than this the text of the prompt cannot have. */
  readonly promptTokensMax: number;
  /** Pictures, sounds and files of the prompt, and the most tokens they can take together where a window allows it. */
  readonly media?: { readonly parts: number; readonly tokensMax: number };
  /** The provider runs tools by itself and may read the prompt, with what they found, several times. */
  readonly hostedTools?: boolean;
  /** The same of the longest, where there are several prompts with a window each. */
  readonly promptTokensEach?: number;
  /** The length of one answer as the client limits it; null when it does not. */
  readonly maxTokens: number | null;
  /** The length of one answer where the client leaves it open, if more than the least is right for it. */
  readonly openTokens?: number;
  /** Answers that are generated; 0 when nothing is (embeddings, rerank). */
  readonly answers: number;
  readonly searchUnits: number;
  /** Optional parameters in use, as `supported_parameters` spells them. */
  readonly parameters: readonly string[];
}
