/** What many generations share about how they were routed. Stored once for each organisation, under its hash. */
export interface DecisionBasis {
  /** SHA-256 of `body`, in hexadecimal digits. */
  readonly hash: string;
  /** Canonical JSON (RFC 8785) of a `BasisBody`. */
  readonly body: string;
}

export interface BasisBody {
  /** The endpoints that were eligible for any of the models, by id. Rows refer to their positions. */
  readonly endpoints: readonly string[];
  readonly models: readonly {
    readonly excluded: readonly {
      readonly endpoint: string;
      readonly excluded_by: string;
      readonly set_by: string;
    }[];
    readonly model: string;
    /** The preferences of all rules and of the request together. */
    readonly preferences: Readonly<Record<string, unknown>>;
    readonly rule_count: number;
    readonly rules: readonly string[];
    readonly strategy: string;
  }[];
}
