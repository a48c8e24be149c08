import { bodyBytesMax, tokensMax } from "#contract/sizes.ts";

const second: number = 1_000;
const minute = 60 * second;
const kib = 1024;
const mib = 1024 * kib;

/** Every limit and timeout of the process in one table. Units come last in each name. */
export const limits = {
  /** Items of a list that are returned when no limit is asked for. */
  /** `scannedMax`: how many recorded requests one page compares with a filter that has no index. */
  lists: { rowsMax: 1_000, scannedMax: 250_000 },
  /** `scannedMax`: how many requests one page searches for sessions; `requestsMax`: how many are counted of a session. */
  sessions: { scannedMax: 250_000, requestsMax: 500 },
  /** How much of each kind the console's search shows. */
  search: { perKindMax: 5 },
  /** What the diagram of request flows has at most; `decisionsMax`: recorded decisions that are read for it. */
  requestFlows: { flowsMax: 500, excludedMax: 50, decisionsMax: 500 },
  /**
   * Sums for charts. `hoursRetentionMs`: after which time sums of hours are deleted. `exactLatencyMax`: percentiles of
   * more requests come from histograms. `dayTimeoutMs`: one statement that adds a day of an earlier version.
   */
  sums: { hoursRetentionMs: 35 * 24 * 60 * minute, exactLatencyMax: 100_000, dayTimeoutMs: 5 * minute },
  /**
   * Partitions of requests by month. `ahead`: how many are added before their time. `rowsTogether`: requests per
   * statement where a partition has newer ones too.
   */
  months: { ahead: 2, lockTimeoutMs: 2 * second, statementTimeoutMs: 5 * minute, rowsTogether: 5_000 },
  http: {
    headersTimeoutMs: 10 * second,
    requestTimeoutMs: 2 * minute,
    bodyTimeoutMs: minute,
    /** A longer body must arrive at a minimum speed, which is checked at this interval. */
    longBodyBytes: 256 * kib,
    bodyCheckMs: 5 * second,
    longBodyBytesPerSecondMin: 16 * kib,
    /** How often connections are checked for requests that arrive too slowly. */
    timeoutCheckMs: second,
    /** Connections without a valid request that are answered before the event loop continues. */
    refusalsPerYield: 50,
    /** How long a connection without a valid request stays open so that its client can read the reason. */
    lingerMs: 2 * second,
    keepAliveTimeoutMs: 65 * second,
    maxRequestsPerSocket: 10_000,
    /** Client connections. Half of the file descriptors is left for providers and destinations. */
    connections: {
      max: 16_384,
      min: 64,
      /** Connections that the kernel holds until they are accepted. Beyond that, clients retry after a second. */
      acceptQueueMax: 4_096,
      /** Sockets that listen on the port, on Linux: so many connections are accepted in a turn of the event loop. */
      socketsPerPort: 16,
      /** Descriptors for everything that is not a client connection: database, spool, pages. */
      descriptorsReserved: 256,
      /** Assumed where the system does not say how many descriptors a process may have. */
      descriptorsUnknown: 4_096,
    },
    headerBytesMax: 16 * kib,
    /** Header names in the preflight request of a browser (CORS). */
    preflightHeaderCharsMax: 2 * kib,
    /** The client's key for the digests of a receipt. */
    digestKeyCharsMin: 32,
    digestKeyCharsMax: 256,
  },
  /** The console's pages. They are rendered on the thread that serves all requests. */
  pages: {
    rendersTogether: 2,
    rendersWaitingMax: 200,
    renderTimeoutMs: 10 * second,
    /** The thread that renders pages: how long its start may take, and when it ends without requests. */
    threadStartMs: 30 * second,
    threadIdleMs: 2 * minute,
    threadYoungMib: 16,
    renderedBytesMax: 8 * mib,
    /** Cache of rendered pages. All pages together need about three million characters. */
    cacheCharsMax: 32 * mib,
    compressedFromBytes: kib,
  },
  /**
   * When a process returns memory: after so many intervals with little work, if its heap grew by so much. A heap that
   * was made smaller costs CPU while it grows again, so short pauses do not count.
   */
  memory: { checkEveryMs: 20 * second, idleChecksMin: 2, utilizationMax: 0.02, growthMin: 1.2 },
  /** Processes under one supervisor (`WORKERS`). */
  workers: { restartEveryMs: 5 * second },
  body: {
    inferenceBytesMax: bodyBytesMax.conversation,
    promptBytesMax: bodyBytesMax.prompt,
    documentsBytesMax: bodyBytesMax.documents,
    embeddingBytesMax: bodyBytesMax.embedding,
    /** Tools, or the schema of the response format, as JSON. */
    settingBytesMax: 2 * mib,
    managementBytesMax: mib,
    authBytesMax: 64 * kib,
    depthMax: 64,
    keysMax: 10_000,
    /** Objects and arrays; below, all elements. Each container costs about 60 bytes and 100 ns to parse. */
    containersMax: 50_000,
    elementsMax: 100_000,
    /** Elements of a body whose input may be token arrays instead of text. */
    tokensMax: tokensMax + 1_000,
    managementElementsMax: 20_000,
    authElementsMax: 1_000,
    /** Bytes of all bodies in memory at the same time, and of those without a key or session. */
    heldBytesMax: 512 * mib,
    strangersHeldBytesMax: 32 * mib,
    retryAfterMs: second,
    /** A longer body is parsed and processed with yields, so that other requests run in between. */
    yieldAboveBytes: mib,
  },
  upstream: {
    connectTimeoutMs: 5 * second,
    firstByteTimeoutMs: 2 * minute,
    streamFirstByteTimeoutMs: minute,
    idleTimeoutMs: minute,
    /** How long to wait for the usage after the end of a streamed answer. */
    endTimeoutMs: 5 * second,
    totalTimeoutMs: 15 * minute,
    headerBytesMax: 16 * kib,
    bodyBytesMax: 64 * mib,
    streamBytesMax: 256 * mib,
    /** An answer. Sized for about ten thousand tokens with twenty log probabilities each. */
    answer: { depthMax: 64, elementsMax: 4_000_000, containersMax: 500_000, keysMax: 2_000_000 },
    /** One event of a stream. Events shorter than `eventBytesUnguarded` cannot exceed this. */
    event: { depthMax: 64, elementsMax: 50_000, containersMax: 20_000, keysMax: 50_000 },
    /** One element of an answer that is parsed element by element: a vector. */
    element: { depthMax: 8, elementsMax: 300_000, containersMax: 100, keysMax: 100 },
    /** Events of a stream before its first content. */
    emptyEventsMax: 10_000,
    /** Tool calls, annotations or items of one answer. */
    partsMax: 1_024,
    eventBytesUnguarded: 2 * kib,
    /** An answer that a provider's SDK parses at once, with a schema. */
    packageAnswer: { depthMax: 64, elementsMax: 200_000, containersMax: 50_000, keysMax: 100_000 },
    packageVectors: { depthMax: 64, elementsMax: 4_000_000, containersMax: 10_000, keysMax: 10_000 },
    /** One element of an answer that is parsed element by element, and everything around the elements. */
    elementBytesMax: 2 * mib,
    /** How much of a provider's error is read. */
    refusalBytesMax: 16 * kib,
    sseLineBytesMax: mib,
    /** With HTTP/1.1 every stream needs its own connection. Requests beyond the limit wait for one. */
    connectionsPerOriginMax: 2_048,
    keepAliveTimeoutMs: 30 * second,
    /** A body of which nothing more is needed may end in this time, so that its connection can be used again. */
    release: { waitMs: second, bytesMax: 64 * kib },
    attemptsMax: 8,
    /** Fields that an endpoint refused are left out for this time. */
    refusedFields: { rememberMs: 10 * minute, fieldsMax: 32 },
    /** Parallel requests for one request with several prompts, where a provider accepts one prompt at a time. */
    bodiesMax: 20,
    /** How often running exchanges are checked for timeouts and aborts. */
    timeCheckMs: 20,
    /** `Retry-After` where the provider sent none. */
    retryAfterMs: 5 * second,
    /** A stream is slow if it sends fewer events than this in that time. One pause counts as `pauseMsMax` at most. */
    slow: { waitedMs: 30 * second, eventsMin: 15, pauseMsMax: 5 * second },
  },
  stream: {
    heartbeatMs: 10 * second,
    /** If the first content takes longer, the stream starts without it, because proxies cut silent connections. */
    beginAfterMs: 10 * second,
    bufferedBytesMax: 256 * kib,
    /** How much of a long answer is read or written before other requests run. */
    yieldEveryBytes: 256 * kib,
    drainTimeoutMs: minute,
  },
  spool: {
    segmentBytesMax: 16 * mib,
    /** Booked records stay on disk for this time at most twice, because they name persons. */
    segmentAgeMs: 5 * minute,
    /** For the final records of running requests when the disk is full; enough for several thousand. */
    reserveBytes: 16 * mib,
    syncWithinMs: 50,
    bookedRetentionMs: 2 * minute,
    flushEveryMs: 250,
    /** How long reports wait for requests that this process has finished but not booked. */
    caughtUpWithinMs: second,
    flushRowsMax: 1_000,
    /** Finished generations in memory. More of them are in the spool only. */
    queuedRowsMax: 10_000,
    retryAfterMs: second,
    /** Bases of decisions that are known to be in the database. The others are written again. */
    knownBasesMax: 10_000,
  },
  exchangeRate: {
    timeoutMs: 20 * second,
    bytesMax: 64 * kib,
    /** A rate that differs by more than this from the previous one is refused. */
    changeMax: 0.2,
    warnAfterDays: 4,
  },
  credit: {
    /** How long a process may spend what it leased while the database does not answer. */
    leaseTtlMs: 20 * minute,
    heartbeatMs: 10 * second,
    /** Without a heartbeat for so long a process asks whether it still has its leases before it spends more. */
    confirmAfterMs: 25 * second,
    /** A process whose heartbeat did not change for so long is dead, and its leases go back. */
    deadAfterMs: 35 * second,
    leaseShareOfBalance: 20,
    leaseEur: "1",
    askAheadAfterMs: second,
    /** Beyond its minimum, one request holds at most this part of what its process has leased. */
    holdShareOfGranted: 4,
    /** How often the spend rate is compared with what is leased. */
    spendRateEveryMs: 2 * second,
    /** How often a process looks whether another one needs what it leased of a limit and does not use. */
    recallEveryMs: 100,
    /** How long a request waits for what other processes return before it is refused, and how often it looks. */
    recallWaitMs: second,
    recallCheckMs: 25,
    /** After a recall processes lease only what their requests need for so long. */
    recalledForMs: 5 * second,
    /** A counter of a budget without requests for so long returns its lease. */
    idleCounterMs: minute,
  },
  catalogue: {
    /** Entries of one organisation, or of the installation. Each organisation's catalogue is in memory. */
    entriesMax: 2_000,
    entryCharsMax: 16_000,
    /** All entries of an organisation, or of the installation, as JSON. */
    layerBytesMax: { organisation: mib, installation: 8 * mib },
    nameCharsMax: 300,
    /** Asking an address what it serves: for all requests together, and for each answer. */
    probeTimeoutMs: 10 * second,
    probeBytesMax: 2 * mib,
    probedModelsMax: 500,
    /** Reading a catalogue file from an address; its size is in the contract. */
    updateTimeoutMs: 10 * second,
    /** Other organisations whose routing rules are evaluated to show the effect of an update. */
    updateOrganisationsMax: 500,
    /** Documents that are stored, so that they can be undone and applied again. */
    updatesMax: 10,
  },
  budgets: {
    perOrganisationMax: 2_000,
    /** Different values that one budget counts in one period. */
    countersMax: 10_000,
    /** Different keys of `metadata` that the budgets of an organisation count by. */
    tagsMax: 8,
    /** Callers whose counters one process remembers. */
    rememberedCallersMax: 10_000,
    /** Longer than a request may run, so that each one is booked before its counter is deleted. */
    endedRetentionMs: 2 * 60 * minute,
    sweptTogether: 1_000,
    sweepEveryMs: minute,
    /** What the preview of a budget evaluates. */
    preview: { days: 30, generationsMax: 100_000 },
    /** `Retry-After` when no parallel request is left. A dead process's requests end after `credit.deadAfterMs`. */
    concurrencyRetryMs: second,
  },
  presets: {
    perOrganisationMax: 500,
    versionsMax: 200,
    /** Of one version's models, preferences and parameters as JSON. */
    configCharsMax: 64 * 1024,
    /** All versions of an organisation: every process holds them in memory. */
    storedBytesMax: 8 * 1024 * 1024,
    /** Versions on a page unless the request says otherwise. */
    versionsPage: 50,
  },
  alerts: {
    rulesPerOrganisationMax: 50,
    channelsPerOrganisationMax: 20,
    /** Open incidents of one rule; further conditions open when others are resolved. */
    openPerRuleMax: 100,
    /** Counters near a threshold that a rule about budgets reads, the most used first. */
    countersMax: 1_000,
    /** How far a value must be from its limit until an alert is resolved, so that it does not open again at once. */
    marginPercent: 10,
    /** How long an alert stays open without a request that could resolve it. */
    heldMs: 24 * 60 * minute,
    /** Models used within this time count as used. */
    usedWithinDays: 30,
    /** API keys that an alert about a deprecated model names. */
    keysNamedMax: 10,
    /** A notification that its receiver did not accept for this time is given up. */
    giveUpAfterMs: 24 * 60 * minute,
    /** Notifications of one channel in an hour of the clock. One more says that the rest is not sent. */
    perChannelAndHourMax: 60,
    /** A channel is paused after this many failures in a row: for the first pause, then twice as long each time. */
    pausedAfterFailures: 3,
    firstPauseMs: 30 * second,
    pauseMaxMs: 15 * minute,
    /** Waiting notifications that are sent at once when a pause ends. The others follow at their time. */
    hastenedMax: 500,
    /** What the rules of one organisation may take in one evaluation. The rest is evaluated later. */
    perOrganisationMs: 20 * second,
    /** The message that an incident is resolved waits for the one that it opened. */
    orderDelaySeconds: 5,
    requestTimeoutMs: 15 * second,
    /** How long the link that confirms an e-mail address can be used. */
    confirmationLifetimeMs: 48 * 60 * minute,
    /** Mails that ask for a confirmation, in a day: of one organisation, and to one address. */
    confirmationsPerOrganisationMax: 20,
    confirmationsPerAddressMax: 3,
    confirmationDayMs: 24 * 60 * minute,
    /** A notification for an address that is not confirmed looks again after this time, and at the confirmation. */
    unconfirmedDelaySeconds: 60 * 60,
    /** Resolved incidents. */
    retentionMs: 90 * 24 * 60 * minute,
    purgedTogether: 1_000,
  },
  /** Configuration files. */
  configuration: {
    aliasesMax: 100,
    depthMax: 24,
    /** Characters of indentation, which nests in YAML. */
    indentCharsMax: 200,
    /** Names, values, punctuation and line ends of a file; the 1,000 changes of one file need about 50,000. */
    lexemesMax: 60_000,
    problemsMax: 20,
    /** Changes of one file. */
    changesMax: 1_000,
    /** Recorded traffic that a plan evaluates. */
    trafficDays: 30,
    /** Recorded requests that are routed again, divided by the number of changes that affect routing. */
    routedMax: 50_000,
    /** Changes whose effect on routing is shown one by one. Of more, only the effect of all together is shown. */
    routedChangesMax: 20,
  },
  /** Different values of a tag per month. Further ones are counted together. */
  tags: {
    valuesMax: 1_000,
    /** Different values of a tag in the metrics of one process, since its start. */
    metricValuesMax: 100,
  },
  authorization: {
    codeLifetimeMs: 10 * minute,
    /** How long used codes are stored, so that their reuse is detected. */
    usedRetentionMs: 30 * 24 * 60 * minute,
    /** A second exchange within this time, with the verifier, gets the same answer, because the first may be lost. */
    repeatMs: 10 * second,
    attemptsMax: 5,
    failures: { failuresMax: 10, windowMs: minute },
  },
  passwords: { lengthMin: 8, lengthMax: 128, parallelMax: 2, waitingMax: 64 },
  signIn: {
    /** Sign-ins of one address. `requestsPerMinute` are its other requests to `/api/auth`. */
    attemptsPerMinute: 30,
    /** Parallel attempts in one process from unknown browsers. Known browsers have separate places. */
    strangersAtOnce: 24,
    perDeviceAtOnce: 4,
    requestsPerMinute: 120,
    /** Reset links for one account, from any requester. */
    resets: { failuresMax: 3, windowMs: 60 * minute },
    sessionIdleMs: 12 * 60 * minute,
    /** A session ends seven days after its sign-in, even if it is used. */
    sessionMaxMs: 7 * 24 * 60 * minute,
    resetLifetimeMs: 60 * minute,
    oidcTimeoutMs: 10 * second,
  },
  invitations: { lifetimeMs: 7 * 24 * 60 * minute },
  /** Secrets that are encrypted again in one transaction. */
  sealing: { portionRows: 100 },
  mail: { timeoutMs: 10 * second },
  /** A first request without an answer after `underWayMs` counts as lost with its process. */
  idempotency: {
    retentionMs: 24 * 60 * minute,
    underWayMs: 20 * minute,
    charsMax: 4 * mib,
    /** Retries for storing how a request ended, if the database was unavailable. */
    finishEveryMs: 2 * second,
    finishAttempts: 30,
  },
  /** Requests that were refused before they reached a provider, per organisation. */
  refusals: {
    flushEveryMs: 2 * second,
    /** Different refusals per organisation between two flushes. */
    groupsPerOrganisationMax: 20,
    storedPerOrganisationMax: 1_000,
    retentionMs: 30 * 24 * 60 * minute,
    /** Counts per limit and minute, of which alerts read a day. */
    limitsRetentionMs: 25 * 60 * minute,
    /** Limits that refused requests between two flushes, of all organisations. */
    limitsMax: 5_000,
    requestIdsMax: 20,
    exclusionsMax: 50,
    metadataCharsMax: 32 * kib,
  },
  /** Export of audit logs: rows in one request, and a request to the receiver. */
  auditExport: { rowsTogether: 500, timeoutMs: 30 * second, answerBytesMax: 64 * kib },
  /** Decisions that are made again. */
  replay: {
    requestsTogether: 500,
    /** Decisions that stay in memory with their documents. */
    decisionsMax: 2_000,
  },
  transparency: {
    /** How often a process looks for rows that are in no transparency log yet. */
    everyMs: 2 * second,
    rowsPerCheckpointMax: 250,
    /** Generations in one checkpoint, rounded up to the batch in which they were booked. */
    generationsPerCheckpoint: 2_000,
    /** Batches of booked generations in one checkpoint; the others are in the next one. */
    batchesPerCheckpointMax: 500,
    /** Logs whose keys are in memory. */
    knownKeysMax: 1_000,
    /** Stored requests that are looked for in the logs at once. */
    verifiedTogether: 5_000,
    /** A request to a witness. */
    witness: { timeoutMs: 10 * second, answerBytesMax: 16 * kib, together: 4 },
    /** A request that publishes a checkpoint. */
    publication: { timeoutMs: 30 * second, answerBytesMax: 16 * kib },
    /** A request to a time-stamping authority, and how often each log is stamped at most. */
    timestamp: { everyMs: 24 * 60 * minute, timeoutMs: 30 * second, answerBytesMax: 64 * kib },
  },
  rate: {
    windowMs: minute,
    /** A process first takes 1/`firstShare` of a budget, later at most 1/`shareOfRest` of the rest. */
    firstShare: 32,
    shareOfRest: 4,
    /** Shares of the next window are taken this long before it begins, for accounts active within that time. */
    aheadMs: 10 * second,
    rememberMs: 10 * minute,
    tickMs: second,
    subjectsMax: 50_000,
    requestsPerStatementMax: 1_000,
    /** A database that answers later than this counts as unavailable. */
    waitMs: second,
    /** While the database is unavailable each process counts for itself, and asks again after this. */
    standaloneMs: 30 * second,
    /** Requests for static files of the console per request for a page, per address. */
    filesPerPage: 10,
  },
  /** Checking a credential with its provider. */
  check: { timeoutMs: 10 * second },
  /** A snapshot younger than `presentMs` counts as current. `CONFIG_MAX_STALENESS` counts from there. */
  snapshot: { pollEveryMs: second / 2, presentMs: 3 * second },
  database: {
    /**
     * Statements a client waits for. All waits of one request together are `budgetMs` at most, so that it is answered
     * within three seconds. `silentMs`: a connection without any response for this time is closed.
     */
    interactive: {
      connectionsMax: 10,
      budgetMs: 2_400,
      graceMs: 50,
      /** Shorter than the budget, so that a request that gets a connection has time to use it. */
      queueTimeoutMs: 1_600,
      lockTimeoutMs: 1_800,
      statementTimeoutMs: 2_200,
      connectTimeoutMs: 2 * second,
      silentMs: 4 * second,
      transactionTimeoutMs: 5 * second,
    },
    /** Statements no client waits for: booking, jobs, maintenance. */
    background: {
      connectionsMax: 5,
      queueTimeoutMs: 15 * second,
      lockTimeoutMs: 5 * second,
      statementTimeoutMs: 15 * second,
      connectTimeoutMs: 5 * second,
      silentMs: 20 * second,
      transactionTimeoutMs: minute,
    },
    /** A replica for reports. Processes write a heartbeat every few seconds, so it is always a little behind. */
    replica: { behindMaxMs: 60 * second, checkEveryMs: 5 * second, readBudgetMs: 2_000 },
    /** Requests that wait for a connection, in total and per organisation, and connections per organisation. */
    queue: { waitingMax: 2_000, waitingMaxPerHolder: 500, connectionsMaxPerHolder: 6 },
    /** A transaction that PostgreSQL rolled back because of a conflict is run again. */
    conflicts: { attemptsMax: 4, pauseMs: 20 },
    /** `Retry-After` for each kind of failure. */
    retryAfterMs: { conflict: second, busy: 2 * second, unavailable: 5 * second },
    /** If the database has answered nothing for this time, requests fail immediately. */
    unavailableAfterMs: 2 * second,
    /** A transaction that is idle this long, for example because its process is paused, is rolled back. */
    pauseTimeoutMs: 30 * second,
    /** Measuring the difference to the database's clock: number of samples, tolerance, and when to warn. */
    clockSamples: 3,
    clockToleranceMs: 10,
    clockWarnMs: 2 * second,
    clockEveryMs: minute,
  },
  /** Waiting for another process that initialises the installation. */
  firstStart: { othersTimeoutMs: minute },
  /** Applying migrations. The duration of a migration is not limited. */
  migrations: {
    connectTimeoutMs: 10 * second,
    /** Waiting for another process that applies them. */
    othersTimeoutMs: 10 * minute,
    /** Other statements queue behind one that waits for a table lock, so it gives up soon and is retried. */
    lockTimeoutMs: 5 * second,
    lockRetryMs: 2 * second,
    lockAttempts: 20,
    /** A transaction that is idle this long is rolled back and its connection closed. */
    pauseTimeoutMs: minute,
  },
  /** One invariant, checked over all rows. */
  audit: { statementTimeoutMs: 60 * minute },
  destinations: {
    perTypeMax: 5,
    perOrganisationMax: 50,
    responseBytesMax: 64 * kib,
    requestTimeoutMs: 15 * second,
    /** Text of one trace. Longer text is truncated and marked. */
    contentBytesMax: 256 * kib,
    /** How much of the beginning and end of a prompt or answer a filter sees. */
    filterTextCharsMax: 32 * kib,
    filterEndCharsMax: 256,
    /** Processor time of a filter that searches texts, per generation, and how often it is checked. */
    filterCpuMsMax: 250,
    filterLookMs: 50,
    /** Elapsed time for the same on a busy machine, and for starting the thread. */
    filterDeadlineMs: 5 * second,
    filterStartMs: 10 * second,
    filterHeapMiB: 128,
    /** Generations that wait for filters, and their bytes. An organisation may use half of what is free. */
    filtersWaitingMax: 2_000,
    filtersWaitingBytesMax: 64 * mib,
    /** Estimated bytes of a waiting generation besides its texts. */
    filterTaskBytes: 4 * kib,
    /** How long a process that stops waits for pending filters. */
    filtersCloseMs: 3 * second,
    /** Filter results are stored in memory until their generation is booked, or for this time. */
    filterOutcomesMs: 10 * minute,
    filterOutcomesBytesMax: 128 * mib,
    filterRetryMs: second,
    /** Size of one insert. After an outage, a thousand generations may arrive at once for fifty destinations each. */
    writeBytesMax: 8 * mib,
    writeRowsMax: 5_000,
    /** How much a delivery worker takes at once, and sends in one request. Both contain at least one trace. */
    takeBytesMax: 4 * mib,
    requestBytesMax: mib,
    /** Workers are notified of new traces immediately, and then at most once in this time. */
    notifyEveryMs: second,
    /** Parallel requests to one destination, and how long one job runs while others wait. */
    concurrency: 8,
    workerTurnMs: 2 * second,
    /** How long a worker owns the deliveries it took. Longer than a request and its retries in halves may take. */
    leaseMs: 60 * second,
    /** Destinations a worker takes from the queue at once. */
    destinationsPerWorker: 10,
    /** Parallel database statements about deliveries, per process. */
    statementsMax: 1,
    /** Delivery workers per process. */
    workers: 8,
    retryFirstMs: 5 * second,
    retryMaxMs: 30 * minute,
    /** A longer `Retry-After` is shortened to this. */
    retryAfterMaxMs: 24 * 60 * minute,
    jitter: 0.2,
    giveUpAfterMs: 24 * 60 * minute,
    /** Consecutive failures after which the whole destination is paused, and after which for longer. */
    restAfterFailures: 3,
    pauseAfterFailures: 50,
    pauseMs: 60 * minute,
    stopAfterMs: 120 * 60 * minute,
    /** Waiting traces per destination. Beyond that, the oldest are dropped. */
    backlogMax: 100_000,
    deliveredRetentionMs: 3 * 24 * 60 * minute,
    failedRetentionMs: 14 * 24 * 60 * minute,
  },
  /** Deleting an organisation: rows per statement, and when to repeat it for requests that were still running. */
  deletion: { rowsTogether: 1_000, againAfterSeconds: 24 * 60 * 60 },
  /**
   * Erasure and export of data subjects. `waitingMax`: of an organisation. `scannedTogether`: requests that one step of an
   * erasure reads; `exportedScannedMax`: those that a page of an export reads. `exportedBytesMax`: encrypted content of a
   * page. `hashedTogether`: names that are hashed before other work runs.
   */
  /** `retrySeconds`: after which time an erasure that a legal hold stops looks whether it is released. */
  legalHolds: { inForceMax: 100, retrySeconds: 60 * 60 },
  erasures: {
    ...{
      waitingMax: 100,
      scannedTogether: 20_000,
      hashedTogether: 500,
      exportedScannedMax: 250_000,
      exportedBytesMax: 8 * 1024 * 1024,
    },
  },
  evidencePackages: {
    /** Of one package. A ZIP archive can have 65,535 files. */
    bounds: { requestsMax: 1_000_000, decisionsMax: 10_000, filesMax: 65_535, bytesMax: 1024 * mib },
    /** How long ago its period must have ended, so that all requests are recorded. */
    completeAfterMs: 10 * minute,
    /** Requests of the organisation that one step looks at, and how many of them are read together. */
    scannedTogether: 1_000,
    readTogether: 100,
    /** Rows in the database that the archive is stored in. */
    partBytes: mib,
    attemptsMax: 3,
    /** Of one organisation. */
    waitingMax: 10,
    storedMax: 50,
    storedBytesMax: 4 * 1024 * mib,
    retentionMs: 7 * 24 * 60 * minute,
    /** The report as a PDF, which is made on a thread of its own. */
    pdfRowsMax: 2_000,
    pdfTimeoutMs: minute,
    pdfHeapMib: 512,
  },
  conversations: {
    /** Items in one conversation. */
    itemsMax: 5_000,
  },
  completions: {
    /** Stored chat completions whose key-value pairs one search decrypts together, and at most. */
    searchedTogether: 500,
    searchedMax: 10_000,
  },
  responses: {
    /** Responses in one conversation. */
    chainMax: 1_000,
    /** Responses whose items one request may reference. */
    referencesMax: 1_000,
    /** Characters that one response may store, and encrypted bytes of the conversation a request continues. */
    storedCharsMax: 8 * mib,
    sealedBytesMax: 48 * mib,
    /** Files in one insert. */
    flushBytesMax: 16 * mib,
    flushEveryMs: 100,
    flushRowsMax: 100,
    retryAfterMs: second,
    backgroundTimeoutMs: 60 * minute,
    /** How often a background response checks whether it was cancelled. */
    cancelNoticedMs: second,
    eventsFlushMs: 250,
    eventsPollMs: 250,
  },
  jobs: {
    connectionsMax: 3,
    pollEverySeconds: 2,
    /** A worker without a heartbeat for this time counts as dead. Checked at the interval below. */
    heartbeatSeconds: 20,
    superviseEverySeconds: 15,
    retryDelaySeconds: 5,
    retryDelayMaxSeconds: 30 * 60,
    finishedRetentionSeconds: 24 * 60 * 60,
    stopTimeoutMs: 20 * second,
  },
  shutdown: { readinessGraceMs: 5 * second, drainTimeoutMs: minute },
} as const;
