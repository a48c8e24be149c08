/** What many generations share, stored once for each organisation under its hash. */
export interface StoredDocument {
  /** SHA-256 of `body`, in hexadecimal digits. */
  readonly hash: string;
  /** Canonical JSON (RFC 8785). */
  readonly body: string;
}

/** What many generations share about how they were routed; its body is a `BasisBody`. */
export interface DecisionBasis extends StoredDocument {
  /** The facts of its endpoints, as far as the database lacks them. Absent in records of earlier versions. */
  readonly facts?: readonly StoredDocument[] | undefined;
  /** What the decision was made from, as far as the database lacks it. Absent in records of earlier versions. */
  readonly inputs?: readonly StoredDocument[] | undefined;
}

export interface BasisBody {
  /** The endpoints that were eligible for any of the models, by id. Rows refer to their positions. */
  readonly endpoints: readonly string[];
  /** The hashes of their facts at that time, in the same order. Absent in bases of earlier versions. */
  readonly facts?: readonly string[] | undefined;
  /** The hash of what the decision was made from. Absent in bases of earlier versions, and if it is too large. */
  readonly inputs?: string | undefined;
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
