// Without zod, because the console's lists load it.

/** Whose facts a rule watches. */
export const alertScopes = ["organisation", "installation"] as const;
export type AlertScope = (typeof alertScopes)[number];

interface KindTexts {
  readonly title: string;
  /** When it alerts. */
  readonly description: string;
  readonly scopes: readonly [AlertScope, ...AlertScope[]];
}

/** What a rule can watch, one row each. Settings and evaluators are in tables of the same names. */
export const alertKindTexts = {
  budget: {
    title: "Budget threshold",
    description:
      "A budget, or the limit of a key or workspace, has reached a percentage. Each value that a budget counts separately alerts alone. Budgets per minute and of parallel requests have the kind “Requests refused by a limit”.",
    scopes: ["organisation"],
  },
  limit_refusals: {
    title: "Requests refused by a limit",
    description:
      "A budget of any period, the limit of a key or workspace, a rate limit or the credit refused requests.",
    scopes: ["organisation"],
  },
  low_credit: {
    title: "Low credit",
    description: "The remaining credit of an organisation is low.",
    scopes: alertScopes,
  },
  error_rate: { title: "Error rate", description: "Too many requests failed.", scopes: alertScopes },
  p95_latency: {
    title: "p95 latency",
    description: "Five percent of the completed requests took longer than a limit.",
    scopes: alertScopes,
  },
  endpoint_down: {
    title: "Endpoint down",
    description: "Attempts at an endpoint fail by a fault of the provider, its connection or the credential.",
    scopes: alertScopes,
  },
  destination_failing: {
    title: "Destination failing",
    description: "A destination accepts no traces, or nothing is sent to it until it is changed.",
    scopes: ["organisation"],
  },
  expired_fact: {
    title: "Expired fact or price",
    description:
      "A fact or price in the catalogue expires, after which it counts as unknown. Only endpoints used in the last 30 days.",
    scopes: alertScopes,
  },
  deprecated_model: {
    title: "Deprecated model",
    description:
      "A model or endpoint that was used in the last 30 days is deprecated, or will be. Names the API keys of your organisation that used it.",
    scopes: alertScopes,
  },
  stale_exchange_rate: {
    title: "Stale exchange rate",
    description: "The exchange rate in use is old. A rate fixed with EUR_USD_RATE never alerts.",
    scopes: ["installation"],
  },
} as const satisfies Record<string, KindTexts>;

export type AlertKind = keyof typeof alertKindTexts;
export const alertKindNames = Object.keys(alertKindTexts) as [AlertKind, ...AlertKind[]];

interface ChannelTexts {
  readonly title: string;
  readonly description: string;
  readonly addressLabel: string;
  /** Whether requests can be signed. */
  readonly signs: boolean;
}

/** How notifications are sent, one row each. */
export const alertChannelTexts = {
  email: {
    title: "E-mail",
    description:
      "A mail to one address, through the mail server of this installation. The owner of an address that belongs to no member has to confirm it",
    addressLabel: "E-mail address",
    signs: false,
  },
  webhook: {
    title: "Webhook",
    description: "A JSON request to your own address, according to Standard Webhooks",
    addressLabel: "Address",
    signs: true,
  },
  slack: {
    title: "Slack-compatible webhook",
    description:
      "A message to an incoming webhook of Slack, Mattermost, Rocket.Chat or Discord (with /slack)",
    addressLabel: "Webhook address",
    signs: false,
  },
} as const satisfies Record<string, ChannelTexts>;

export type AlertChannelType = keyof typeof alertChannelTexts;
export const alertChannelTypeNames = Object.keys(alertChannelTexts) as [
  AlertChannelType,
  ...AlertChannelType[],
];
