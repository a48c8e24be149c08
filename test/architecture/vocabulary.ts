export interface RetiredTerm {
  readonly pattern: RegExp;
  readonly use: string;
  /** Paths where the word is right, each with the reason. */
  readonly allowed?: readonly (readonly [path: RegExp, why: string])[];
}

const settingNames = [
  /^src\/server\/platform\/(settings|env\.test)\.ts$|^docs\/settings\.md$/,
  "table of old names",
] as const;

/** Words of our own that were replaced by those engineers know. */
export const retiredTerms: readonly RetiredTerm[] = [
  { pattern: /\b[A-Z]\w*Parts\b|(?:interface|type) Parts\b|: Parts\b/, use: "deps, Chunk" },
  { pattern: /\bdemand[A-Z]\w*|\bDemand\b/, use: "authorize, RequestEstimate, assertX" },
  {
    pattern: /\bdemand(?:s|ed|ing)?\b/,
    use: "require",
    allowed: [[/^docs\/|^src\/app\/|^src\/server\/platform\/settings\.ts$/, "on demand"]],
  },
  {
    pattern: /\bwhole[A-Z]\w*|\bWhole\w*/,
    use: "complete, nonStreaming",
    allowed: [[/rule-models\.test\.ts$/, "a name of a model"]],
  },
  {
    pattern: /(?<!all|on)\b[sS]ettle\w*|(?<!all|on)Settled?\b(?!Result)/,
    use: "release, finish, book, flushed",
  },
  { pattern: /\b[pP]urses?\b|Purse\b/, use: "LocalCredit" },
  { pattern: /\b[wW]ish(?:e[sd])?\b/, use: "preference, requirement, requested" },
  { pattern: /\blent\b|\brevival\b/, use: "granted, renewal" },
  {
    pattern: /\b[lL]anes?\b|[a-z]Lanes?\b|\bLane[A-Z]/,
    use: "RouteHandler, DeliveryWorker",
    allowed: [
      [/^src\/server\/(platform\/metrics|http\/api-handler)\.ts$/, "label of a published metric"],
      [/password\.ts$|^docs\/adr\/|secrets/, "a lane of Argon2"],
    ],
  },
  {
    pattern: /\b[oO]utbox\b|[a-z]Outbox\b|\bOutbox[A-Z]/,
    use: "deliveries, responseSpool",
    allowed: [
      [
        /^src\/server\/(billing\/|composition\/money|destinations\/open)/,
        "the transactional outbox of booking",
      ],
      [/^test\/process\/broadcast-failures/, "the transactional outbox of booking"],
    ],
  },
  {
    pattern: /\b(?:const|readonly) books\b|\bloadBooks\b|\bBooks\b(?! [a-z])|\blivingCatalogue\b|book-rows/,
    use: "priceOverrides, catalogues, ledger",
  },
  { pattern: /\bseverally\b/, use: "fanOut" },
  { pattern: /\bunsayable\b/, use: "unsupported" },
  { pattern: /\bmend(?:s|ed|ing)?\b/, use: "repair" },
  { pattern: /\bunlessAway\b/, use: "failFastWhenDatabaseDown" },
  { pattern: /\b[sS]ift\w*|\b[sS]ieve\w*/, use: "filter" },
  {
    pattern: /\bLayer\b|[a-z]Layers?\b/,
    use: "scope",
    allowed: [
      [/_ui\/bars\.tsx$/, "an option of the chart library"],
      [/^(?!src\/server\/(?:policy|inference)\/)/, "a layer of the catalogue"],
    ],
  },
  { pattern: /\bReach\b|[a-z]Reach\b|\breachOf\b/, use: "scope" },
  {
    pattern: /\bDropped\b/,
    use: "excluded",
    allowed: [[/deliveries-panel(?:\.test)?\.tsx$/, "a state of deliveries"]],
  },
  { pattern: /\brecognise\w*|\bpresentedKey\b/, use: "authenticate, credential" },
  { pattern: /\bStanding\b|[a-z]Standing\b|\bstanding(?:Of)?\(/, use: "Freshness" },
  { pattern: /\bvouch\w*|\bgranters\b|person-notes/, use: "oidc-identities, grantors, audit-person" },
  { pattern: /\bletters\.ts\b|\bLetters?\b/, use: "notifications" },
  {
    pattern: /\bclass Note\b|\bnew Note\b|\bTurns\b|\bTimeWatch\b|\bclass Pace\b|\bstretch(?:es)?\b/,
    use: "request attachment, yieldEvery, timeout wheel, throughput guard, time buckets",
  },
  {
    pattern:
      /\b(?:const|let|function|readonly) (?:told|kept|keep|forget|whole|away)\b|\b(?:forget|keep(?!Alive|Mounted|PreviousData|Editing|Names)|kept|told)[A-Z]\w*/,
    use: "reported, store, stored, purge, complete, unavailable",
  },
  {
    pattern: /\bADEQUACY_OFF\b|\bSTALE_MAX\b|\bRESPONSES_KEEP_DAYS\b/,
    use: "the new names of the settings",
    allowed: [settingNames],
  },
];

/** Words of inversions and literary phrases, in the titles and comments of `plainFolders`. */
export const proseTerms: readonly RetiredTerm[] = [
  { pattern: /\b[tT]old\b|\btells\b/, use: "report, show, return, log" },
  { pattern: /\b[kK]ept\b/, use: "stored, retained, unchanged" },
  { pattern: /\b[aA]new\b/, use: "again" },
  { pattern: /\b[wW]hoever\b/, use: "the caller, the operator, the person" },
];

/** Folders whose titles and comments avoid `proseTerms`. */
export const plainFolders = /^(?:src\/(?:server|contract)|test|e2e|bench|scripts)\//;

/** Texts that people had to read twice. */
export const retiredTexts: readonly string[] = [
  "Those of a day that are alike",
  "Nobody was left who may serve",
  "nobody left",
  "no rule had a say",
  "Model asked for",
  "left alone after a fault",
  "not asked lately",
  "Settled when the rule was made",
  "All rules that match bind together",
  "Must hold, whatever a request asks for",
  "as long as they like",
  "Stay where they were",
  "Go elsewhere",
  "The limit starts anew",
  "The key ends",
  "no limit but your credit",
  "It is shown this once",
  "A key can do no more than you can",
  "Behind the installation's",
  "Whose account it is, for whoever",
  "Law and terms",
  "where we know it from",
  "can be brought",
  "It lies in",
  "It does not work yet",
  "Nothing was used in this time",
  "Whose prices?",
  "Where you are signed in",
  "Pass this link on yourself",
  "decides about other owners",
  "This request is not in order",
  "Tell its makers",
  "There is nothing here. The address may be mistyped",
  "Tools and further fields",
  "The answer stands here",
  "No provider may serve this request",
  "no place for token arrays",
  "takes no credentials of others",
  "never has more than its maker",
  "is not kept any more",
  "The map of the house",
];
