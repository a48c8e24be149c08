import type { Api } from "#contract/inference-operations.ts";
import type { Credentials, Endpoint, Model } from "#server/catalog/index.ts";

/** What the catalogue and the installation contribute to the decisions about a model. */
export interface Considered {
  readonly model: Model;
  readonly aliases: readonly string[];
  /** All endpoints of the model. */
  readonly endpoints: readonly Endpoint[];
  readonly apis: readonly Api[];
  readonly credentials: Credentials;
  readonly defaultResidency: string | null;
  readonly adequacyExclude: ReadonlySet<string>;
}

/** The size of a request, as far as it excluded endpoints. */
export interface DecidingSize {
  /** The smallest prompt with the same result, in tokens. */
  readonly promptTokens: number;
  readonly maxTokens: number | null;
}

/** What a decision was made from, besides the recorded fields of the request and the rules that applied. */
export interface DecisionInputs {
  readonly considered: Considered;
  /** Names of the parameters that the request uses. */
  readonly parameters: readonly string[];
  /** Null: every endpoint was large enough. */
  readonly size: DecidingSize | null;
}
