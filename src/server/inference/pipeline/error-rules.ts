import type { AttemptFailure } from "./failures.ts";
import { namedField } from "./named-field.ts";
import type { ProviderError } from "./provider-error.ts";

type Json = Record<string, unknown>;

/** What a kind of error means for the next attempt, for who has to act, and for the client. */
export type Row = Pick<AttemptFailure, "outcome" | "retry" | "blame" | "code" | "message" | "errorType">;

export const rejected: Row = {
  outcome: "rejected",
  retry: "never",
  blame: "request",
  code: "BAD_REQUEST",
  message: "The provider did not accept the request's parameters",
};
const unsupportedParameter: Row = {
  outcome: "unsupported_parameter",
  retry: "endpoint",
  blame: "request",
  code: "BAD_REQUEST",
  message: "is not supported by the provider for this model",
  errorType: "unsupported_parameter",
};
const credential: Row = {
  outcome: "credential",
  retry: "endpoint",
  blame: "operator",
  code: "PROVIDER_ERROR",
  message: "The provider did not accept the credential",
};
const quota: Row = {
  outcome: "quota",
  retry: "endpoint",
  blame: "operator",
  code: "PROVIDER_ERROR",
  message:
    "The quota, credit or spending limit of the credential at the provider is used up. Its owner has to raise it there",
  errorType: "provider_quota_exceeded",
};
const overRateLimit: Row = {
  outcome: "over_rate_limit",
  retry: "endpoint",
  blame: "operator",
  code: "PAYLOAD_TOO_LARGE",
  message: "The request has more tokens than the provider's rate limit for the credential allows at a time",
};
export const serverError: Row = {
  outcome: "server_error",
  retry: "endpoint",
  blame: "provider",
  code: "PROVIDER_ERROR",
  message: "The provider reported an error",
};
const modelMissing: Row = {
  ...serverError,
  outcome: "model_missing",
  message: "The provider does not serve this model",
};
export const timeout: Row = {
  outcome: "timeout",
  retry: "endpoint",
  blame: "provider",
  code: "PROVIDER_TIMEOUT",
  message: "The provider took too long",
};
const overloaded: Row = {
  outcome: "overloaded",
  retry: "endpoint",
  blame: "provider",
  code: "SERVICE_UNAVAILABLE",
  message: "The provider is overloaded",
};
const tooLong: Row = {
  outcome: "context_length",
  retry: "model",
  blame: "request",
  code: "BAD_REQUEST",
  message: "The request is longer than the model's context window",
  errorType: "context_length_exceeded",
};
export const againstPolicy: Row = {
  outcome: "content_policy",
  retry: "model",
  blame: "request",
  code: "BAD_REQUEST",
  message: "The provider's content policy refuses this request",
  errorType: "content_policy_violation",
};

/** What a status means if no rule says more; other 4xx are the request's fault, 5xx the provider's. */
const byStatus: Readonly<Record<number, Row>> = {
  401: credential,
  402: quota,
  403: credential,
  404: modelMissing,
  408: timeout,
  // Fireworks, for accounts that are suspended because of their spending.
  412: quota,
  413: { ...rejected, code: "PAYLOAD_TOO_LARGE", message: "The provider considers the request too large" },
  // Bedrock and TEI, for faults of the model behind them.
  424: serverError,
  429: {
    outcome: "rate_limited",
    retry: "endpoint",
    blame: "provider",
    code: "RATE_LIMIT_EXCEEDED",
    message: "The provider's rate limit is reached",
  },
  // Groq, without capacity for the flexible tier.
  498: overloaded,
  // Groq and Cohere, for requests that they gave up themselves.
  499: serverError,
  503: overloaded,
  504: timeout,
  524: timeout,
  529: overloaded,
};

/** A meaning that an error has at certain statuses if its words fit. */
interface Rule {
  readonly row: Row;
  readonly statuses: readonly number[];
  /** Codes and types. */
  readonly identifiers?: RegExp;
  /** Texts for people, and codes and types as well. */
  readonly words?: RegExp;
}

/** In this order; the first that fits counts. Written after providers' references and recorded errors. */
const rules: readonly Rule[] = [
  {
    row: quota,
    statuses: [400, 401, 403, 429],
    // The message of OpenAI's rate limits and Google's per-minute limits mentions quota and billing too.
    identifiers:
      /insufficient_(user_)?quota|credit_balance_exhausted|(spend|usage)_limit_exceeded|billing_|payment_required|PerDay/,
    words:
      /credit balance is too low|insufficient (account )?(balance|credits?|funds)|used all available credits|spend(ing)? limit|specified API usage limits/i,
  },
  {
    row: overRateLimit,
    statuses: [413, 429],
    words: /request too large for .{0,300}(tokens per (minute|min|day)|\bTP[MD]\b)/i,
  },
  {
    row: credential,
    statuses: [400],
    identifiers: /API_KEY_INVALID|invalid_api_key/,
    words: /(incorrect|invalid) api key|api key (is )?(not valid|invalid|expired)/i,
  },
  {
    row: tooLong,
    statuses: [400, 403, 413, 422],
    words:
      /context[_ ](length|window|size|limit)|maximum context|max(imum)? (number of )?(input )?tokens|(prompt|input|request)( is|'s| was)? too (long|large)|too many (input )?tokens|token (count|limit) (exceed|of)|exceeds? the (maximum|model)/i,
  },
  {
    row: againstPolicy,
    statuses: [400, 403, 413, 422],
    words:
      /content[_ ](policy|filter|management)|moderation|safety (system|filter|policy|setting|check)|usage guidelines|blocked by|responsible ?ai|guardrail/i,
  },
  {
    row: modelMissing,
    statuses: [400, 422],
    identifiers: /model_not_found|model_not_exist|invalid_model\b/,
    words: /model identifier is invalid|model not exist/i,
  },
];

/** Statuses at which a field can be named. */
const fieldStatuses: readonly number[] = [400, 422];

/** Codes and words by which a named field is one that the provider does not take at all, or not with this value. */
const unsupportedIdentifiers = /unsupported_(parameter|value)|unknown_parameter|extra_forbidden/;
const unsupportedWords =
  /not supported|unsupported|unrecognized|unknown (parameter|name|field)|extra inputs|not (permitted|allowed|enabled)|deprecated/i;

const quoted = String.raw`["'\x60]([\w.[\]-]{1,128})["'\x60]`;
/** How messages name a field that is not supported; its path is the groups one after the other. */
const namedInMessage: readonly RegExp[] = [
  /unrecognized request arguments? supplied: ([\w.[\]-]{1,128})/i,
  new RegExp(`(?:unknown|unsupported) (?:parameter|value|name|field):? ${quoted}`, "i"),
  new RegExp(`extra inputs are not permitted,? field: ${quoted}`, "i"),
  /(?:^|[\s"])([\w.[\]-]{1,128}): extra inputs are not permitted/i,
  new RegExp(`${quoted} ?: property ${quoted} is unsupported`, "i"),
  new RegExp(`property ${quoted} is unsupported`, "i"),
  /extraneous key \[([\w.-]{1,128})\] is not permitted/i,
  /argument not supported(?: on this model)?: ([\w.]{1,128})/i,
  /does not support (?:the )?parameters?:? [["'`]{0,2}([\w.]{1,128})/i,
  new RegExp(
    `${quoted}:? (?:is|are) (?:not supported|unsupported|deprecated|not permitted|not allowed)`,
    "i",
  ),
  /(?:^|\s)([\w.[\]-]{1,128}): [\w ]{1,80} is not supported with this model/i,
];

/** How messages name a field whose value does not go with the rest of the request. */
const invalidInMessage: readonly RegExp[] = [
  /`([\w.]{1,128})` (?:may|must|cannot|should) /i,
  /\bwhen (tool_choice) forces\b/i,
];

/** The field that a provider does not support, or that it found invalid; neither if it names none of `request`. */
function fieldOf(
  { identifiers, message, paths }: ProviderError,
  request: Json,
): { readonly unsupported?: string; readonly invalid?: string } {
  for (const pattern of namedInMessage) {
    const path = pattern.exec(message)?.slice(1).join(".");
    const unsupported = path === undefined ? undefined : namedField(request, path);
    if (unsupported !== undefined) return { unsupported };
  }
  const isUnsupported = unsupportedIdentifiers.test(identifiers) || unsupportedWords.test(message);
  for (const path of paths) {
    const named = namedField(request, path);
    if (named !== undefined) return isUnsupported ? { unsupported: named } : { invalid: named };
  }
  for (const pattern of invalidInMessage) {
    const [, path] = pattern.exec(message) ?? [];
    const invalid = path === undefined ? undefined : namedField(request, path);
    if (invalid !== undefined) return { invalid };
  }
  return {};
}

/** What an error means, and the field that it is about. */
export interface Meaning {
  readonly row: Row;
  /** The field of the request that the provider does not support. */
  readonly parameter?: string;
  /** The field of the request whose value it did not accept. */
  readonly invalidField?: string;
}

const fits = ({ identifiers, words }: Rule, error: ProviderError): boolean =>
  identifiers?.test(error.identifiers) === true ||
  words?.test(error.message) === true ||
  words?.test(error.identifiers) === true;

/** The meaning of an error with this status. `request` is the body in our names, for which it was. */
export function meaningOf(status: number, error: ProviderError | null, request: Json | undefined): Meaning {
  // Other statuses, such as a redirect, are the provider's fault.
  const usual = byStatus[status] ?? (status >= 400 && status < 500 ? rejected : serverError);
  if (error === null) return { row: usual };
  const { unsupported, invalid } =
    request && fieldStatuses.includes(status) ? fieldOf(error, request) : ({} as ReturnType<typeof fieldOf>);
  const rule = rules.find((one) => one.statuses.includes(status) && fits(one, error));
  // A provider that names the field is not misread because of a word beside it.
  if (unsupported !== undefined && rule?.row !== quota)
    return {
      row: { ...unsupportedParameter, message: `${unsupported}: ${unsupportedParameter.message}` },
      parameter: unsupported,
    };
  if (rule) return { row: rule.row };
  if (invalid !== undefined && usual === rejected)
    return {
      row: { ...rejected, message: `${invalid}: was not accepted by the provider` },
      invalidField: invalid,
    };
  return { row: usual };
}

/** Statuses whose body may say more than the status. */
export const explainedStatuses: ReadonlySet<number> = new Set([
  ...rules.flatMap(({ statuses }) => statuses),
  ...fieldStatuses,
]);

/** Outcomes of which another request of the same client brings nothing. */
export const isFutile = ({ outcome }: Pick<AttemptFailure, "outcome">): boolean =>
  outcome === quota.outcome || outcome === overRateLimit.outcome;
