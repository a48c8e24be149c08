import { bodyBytesMax, tokensMax } from "#contract/sizes.ts";

const second: number = 1_000;
const minute = 60 * second;
const kib = 1024;
const mib = 1024 * kib;

/** Every limit and timeout of the process in one table. Units stand last in each name. */
export const limits = {
  http: {
    headersTimeoutMs: 10 * second,
    requestTimeoutMs: 2 * minute,
    bodyTimeoutMs: minute,
    /** A body longer than this must not trickle: so often it is looked at whether it still comes as fast as it must. */
    longBodyBytes: 256 * kib,
    bodyCheckMs: 5 * second,
    longBodyBytesPerSecondMin: 16 * kib,
    /** How often connections are looked at for requests that come too slowly. */
    timeoutCheckMs: second,
    /** Connections without a valid request that are answered before others have their turn. */
    refusalsPerYield: 50,
    /** A connection that brought no request is held so long for its client to read why. */
    lingerMs: 2 * second,
    keepAliveTimeoutMs: 65 * second,
    maxRequestsPerSocket: 10_000,
    /** Connections of clients. Half of what the process may open is left to providers and destinations. */
    connections: {
      max: 16_384,
      min: 64,
      /** Made by the kernel and not taken yet. Beyond it who connects tries again a second later. */
      acceptQueueMax: 4_096,
      /** Descriptors for the database, the spool, pages and whatever else is no connection of a client. */
      descriptorsReserved: 256,
      /** Counted with where the system does not tell how many descriptors a process may have. */
      descriptorsUnknown: 4_096,
    },
    headerBytesMax: 16 * kib,
    /** Names of headers that a browser asks for before it sends them. */
    preflightHeaderCharsMax: 2 * kib,
  },
  /** The console's pages, which are rendered on the thread that serves everybody. */
  pages: {
    rendersTogether: 2,
    rendersWaitingMax: 200,
    renderTimeoutMs: 10 * second,
    renderedBytesMax: 8 * mib,
    /** Rendered pages that are kept. All there are, and the ways between them, need some three million. */
    cacheCharsMax: 32 * mib,
    compressedFromBytes: kib,
  },
  /** Processes under one supervisor (`WORKERS`). */
  workers: { restartEveryMs: 5 * second },
  body: {
    inferenceBytesMax: bodyBytesMax.conversation,
    promptBytesMax: bodyBytesMax.prompt,
    documentsBytesMax: bodyBytesMax.documents,
    embeddingBytesMax: bodyBytesMax.embedding,
    /** Tools, or the form an answer must have, as JSON. */
    settingBytesMax: 2 * mib,
    managementBytesMax: mib,
    authBytesMax: 64 * kib,
    depthMax: 64,
    keysMax: 10_000,
    /** Objects and arrays, and with them all elements there are: each costs some 60 bytes and 100 ns to read. */
    containersMax: 50_000,
    elementsMax: 100_000,
    /** The same where tokens may stand in the place of text. */
    tokensMax: tokensMax + 1_000,
    managementElementsMax: 20_000,
    authElementsMax: 1_000,
    /** Bytes of bodies that are read or served at the same time, of everybody and of those without a key or session. */
    heldBytesMax: 512 * mib,
    strangersHeldBytesMax: 32 * mib,
    retryAfterMs: second,
    /** A longer body is read and served in turns, between which others are served. */
    yieldAboveBytes: mib,
  },
  upstream: {
    connectTimeoutMs: 5 * second,
    firstByteTimeoutMs: 2 * minute,
    streamFirstByteTimeoutMs: minute,
    idleTimeoutMs: minute,
    /** How long usage is waited for behind the end of a streamed answer. */
    endTimeoutMs: 5 * second,
    totalTimeoutMs: 15 * minute,
    headerBytesMax: 16 * kib,
    bodyBytesMax: 64 * mib,
    streamBytesMax: 256 * mib,
    /** What an answer may hold: probabilities of twenty tokens beside each of some ten thousand. */
    answer: { depthMax: 64, elementsMax: 4_000_000, containersMax: 500_000, keysMax: 2_000_000 },
    /** What one event of a stream may hold. One that is shorter than this cannot hold too much. */
    event: { depthMax: 64, elementsMax: 50_000, containersMax: 20_000, keysMax: 50_000 },
    /** One element of an answer that is read element by element: a vector. */
    element: { depthMax: 8, elementsMax: 300_000, containersMax: 100, keysMax: 100 },
    /** Events of a stream before its first content. */
    emptyEventsMax: 10_000,
    /** Tool calls, notes or items of one answer. */
    partsMax: 1_024,
    eventBytesUnguarded: 2 * kib,
    /** What an answer may hold that a provider's own package reads, at once and with a schema. */
    packageAnswer: { depthMax: 64, elementsMax: 200_000, containersMax: 50_000, keysMax: 100_000 },
    packageVectors: { depthMax: 64, elementsMax: 4_000_000, containersMax: 10_000, keysMax: 10_000 },
    /** One element of an answer that is read element by element, and all that stands around them. */
    elementBytesMax: 2 * mib,
    sseLineBytesMax: mib,
    /** Over HTTP/1.1 every stream has a connection of its own; what comes beyond waits for one. */
    connectionsPerOriginMax: 2_048,
    keepAliveTimeoutMs: 30 * second,
    attemptsMax: 8,
    /** So many a request may be sent as at once, where the provider takes one prompt at a time. */
    bodiesMax: 20,
    /** How often exchanges under way are looked at for what takes too long or is no longer wanted. */
    timeCheckMs: 20,
    /** When to come back, where no provider said it. */
    retryAfterMs: 5 * second,
    /** A stream that brings fewer events than this over that long a wait; one pause counts for `pauseMsMax`. */
    slow: { waitedMs: 30 * second, eventsMin: 15, pauseMsMax: 5 * second },
  },
  stream: {
    heartbeatMs: 10 * second,
    /** A stream whose first content takes longer begins without it: proxies cut what is silent. */
    beginAfterMs: 10 * second,
    bufferedBytesMax: 256 * kib,
    /** Of a long answer so much is read or written before others have their turn. */
    yieldEveryBytes: 256 * kib,
    drainTimeoutMs: minute,
  },
  spool: {
    segmentBytesMax: 16 * mib,
    /** For the ends of what is under way when the disk is full: some thousands of them. */
    reserveBytes: 16 * mib,
    syncWithinMs: 50,
    keepBookedMs: 2 * minute,
    flushEveryMs: 250,
    /** Reports wait so long at most for what this process has finished and not booked. */
    caughtUpWithinMs: second,
    flushRowsMax: 1_000,
    /** Finished generations kept in memory; what is more waits in the spool only. */
    queuedRowsMax: 10_000,
    retryAfterMs: second,
  },
  exchangeRate: {
    timeoutMs: 20 * second,
    bytesMax: 64 * kib,
    /** A rate that differs more than this from the last is refused. */
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
  },
  authorization: {
    codeLifetimeMs: 10 * minute,
    /** Used codes are known this long, so that their reuse is noticed. */
    usedRetentionMs: 30 * 24 * 60 * minute,
    /** Who exchanges a code again within this, with its verifier, gets the same answer: the first may be lost. */
    repeatMs: 10 * second,
    attemptsMax: 5,
    failures: { failuresMax: 10, windowMs: minute },
  },
  passwords: { lengthMin: 8, lengthMax: 128, parallelMax: 2, waitingMax: 64 },
  signIn: {
    /** Sign-ins of one address, and all else it may ask of `/api/auth`. */
    attemptsPerMinute: 30,
    /** Attempts that a process looks at together from browsers nobody has signed in with: there is room beside them. */
    strangersAtOnce: 24,
    perDeviceAtOnce: 4,
    requestsPerMinute: 120,
    /** Reset links for one account, whoever asks for them. */
    resets: { failuresMax: 3, windowMs: 60 * minute },
    sessionIdleMs: 12 * 60 * minute,
    /** However busy, a session ends seven days after its sign-in. */
    sessionMaxMs: 7 * 24 * 60 * minute,
    resetLifetimeMs: 60 * minute,
    oidcTimeoutMs: 10 * second,
  },
  invitations: { lifetimeMs: 7 * 24 * 60 * minute },
  /** Secrets that are sealed anew in one transaction. */
  sealing: { portionRows: 100 },
  mail: { timeoutMs: 10 * second },
  /** After `underWayMs` a first request without an answer is one whose process died. */
  idempotency: {
    retentionMs: 24 * 60 * minute,
    underWayMs: 20 * minute,
    charsMax: 4 * mib,
    /** How a request ended, when the database did not take it at once. */
    finishEveryMs: 2 * second,
    finishAttempts: 30,
  },
  /** Requests refused before they reached a provider, of each organisation. */
  refusals: {
    flushEveryMs: 2 * second,
    /** Kinds of refusals told apart in that time. */
    groupsPerOrganisationMax: 20,
    storedPerOrganisationMax: 1_000,
    retentionMs: 30 * 24 * 60 * minute,
    requestIdsMax: 20,
    exclusionsMax: 50,
    metadataCharsMax: 32 * kib,
  },
  rate: {
    windowMs: minute,
    /** A process asks for this part of a budget at first, and for at most that part of what is left. */
    firstShare: 32,
    shareOfRest: 4,
    /** Shares of the next window are taken this long before it begins, for who asked within that time. */
    aheadMs: 10 * second,
    rememberMs: 10 * minute,
    tickMs: second,
    subjectsMax: 50_000,
    requestsPerStatementMax: 1_000,
    /** A database that answers later than this counts as unavailable. */
    waitMs: second,
    /** While the database is unavailable each process counts for itself, and asks again after this. */
    standaloneMs: 30 * second,
    /** Requests for files of the console that an address has for each of its requests for pages. */
    filesPerPage: 10,
  },
  /** A question to a provider whether it accepts a credential. */
  check: { timeoutMs: 10 * second },
  /** Up to `presentMs` a snapshot is that of now: it is read again each second. `CONFIG_MAX_STALENESS` counts from there. */
  snapshot: { pollEveryMs: second, presentMs: 3 * second },
  database: {
    /**
     * What somebody waits for. Everything one request waits for the database, taken together, is `budgetMs` at most,
     * so that it is answered within three seconds. `silentMs`: a connection from which nothing came is given up.
     */
    interactive: {
      connectionsMax: 10,
      budgetMs: 2_400,
      graceMs: 50,
      /** Who has a connection by then has time left to use it: work that is given up in the middle helps nobody. */
      queueTimeoutMs: 1_600,
      lockTimeoutMs: 1_800,
      statementTimeoutMs: 2_200,
      connectTimeoutMs: 2 * second,
      silentMs: 4 * second,
      transactionTimeoutMs: 5 * second,
    },
    /** What goes on by itself: booking, jobs, upkeep. */
    background: {
      connectionsMax: 5,
      queueTimeoutMs: 15 * second,
      lockTimeoutMs: 5 * second,
      statementTimeoutMs: 15 * second,
      connectTimeoutMs: 5 * second,
      silentMs: 20 * second,
      transactionTimeoutMs: minute,
    },
    /** Who waits for a connection, of all and of one organisation, and how many of them it may have at once. */
    queue: { waitingMax: 2_000, waitingMaxPerHolder: 500, connectionsMaxPerHolder: 6 },
    /** A transaction that PostgreSQL undid because of another is run again. */
    conflicts: { attemptsMax: 4, pauseMs: 20 },
    /** When a client may try again, after each kind of failure. */
    retryAfterMs: { conflict: second, busy: 2 * second, unavailable: 5 * second },
    /** A database that has answered nobody for so long is not waited for any more. */
    unavailableAfterMs: 2 * second,
    /** A transaction whose process was paused lets go of what it holds. */
    pauseTimeoutMs: 30 * second,
    /** The difference to the database's clock: the best of so many looks, how exact it has to be, when it is told. */
    clockSamples: 3,
    clockToleranceMs: 10,
    clockWarnMs: 2 * second,
    clockEveryMs: minute,
  },
  /** For another process that makes the first start of the installation. */
  firstStart: { othersTimeoutMs: minute },
  /** While migrations are applied; how long one takes is not limited. */
  migrations: {
    connectTimeoutMs: 10 * second,
    /** For another process that applies them. */
    othersTimeoutMs: 10 * minute,
    /** Statements of others queue behind one that waits for a table, so it gives up soon and is tried again. */
    lockTimeoutMs: 5 * second,
    lockRetryMs: 2 * second,
    lockAttempts: 20,
    /** A process that was paused in the middle loses its connection. */
    pauseTimeoutMs: minute,
  },
  /** One invariant over everything there is. */
  audit: { statementTimeoutMs: 60 * minute },
  destinations: {
    perTypeMax: 5,
    perOrganisationMax: 50,
    responseBytesMax: 64 * kib,
    requestTimeoutMs: 15 * second,
    /** Text of one trace; what is longer is cut and marked. */
    contentBytesMax: 256 * kib,
    /** What a filter sees of what was asked, and of what was answered: so much of the beginning, and of the end. */
    filterTextCharsMax: 32 * kib,
    filterEndCharsMax: 256,
    /** A filter that searches texts has so much processor time for a generation, which is looked at this often. */
    filterCpuMsMax: 250,
    filterLookMs: 50,
    /** The same on a machine that has no processor to give, and the start of its thread. */
    filterDeadlineMs: 5 * second,
    filterStartMs: 10 * second,
    filterHeapMiB: 128,
    /** Generations that wait for filters, and what is kept for them; an organisation gets half of what is free. */
    filtersWaitingMax: 2_000,
    filtersWaitingBytesMax: 64 * mib,
    /** What is kept besides texts. */
    filterTaskBytes: 4 * kib,
    /** A process that stops has so long for filters that are still to be asked. */
    filtersCloseMs: 3 * second,
    /** Outcomes are kept until their generation is stored, and looked after this often. */
    filterOutcomesMs: 10 * minute,
    filterOutcomesBytesMax: 128 * mib,
    filterRetryMs: second,
    /** What one statement stores: after an outage a thousand generations come at once, for fifty destinations each. */
    writeBytesMax: 8 * mib,
    writeRowsMax: 5_000,
    /** What one destination's worker takes at once, and puts into one request: both hold one trace at least. */
    takeBytesMax: 4 * mib,
    requestBytesMax: mib,
    /** Destinations with new traces are told at once, and then no more often than this. */
    notifyEveryMs: second,
    /** Requests of one destination under way at the same time, and how long one job goes on while others wait. */
    concurrency: 8,
    workerTurnMs: 2 * second,
    /** How long a worker has what it took for itself: longer than a request may take, halves included. */
    leaseMs: 60 * second,
    /** Destinations are taken out of the queue so many at a time, by so many workers of a process. */
    destinationsPerWorker: 10,
    /** Statements about deliveries that a process has under way. */
    statementsMax: 1,
    workers: 8,
    retryFirstMs: 5 * second,
    retryMaxMs: 30 * minute,
    /** Retry-After is believed up to here. */
    retryAfterMaxMs: 24 * 60 * minute,
    jitter: 0.2,
    giveUpAfterMs: 24 * 60 * minute,
    /** Failures in a row after which the whole destination rests, and after which for longer. */
    restAfterFailures: 3,
    pauseAfterFailures: 50,
    pauseMs: 60 * minute,
    stopAfterMs: 120 * 60 * minute,
    /** Traces that may wait for one destination; the oldest are dropped beyond. */
    backlogMax: 100_000,
    deliveredRetentionMs: 3 * 24 * 60 * minute,
    failedRetentionMs: 14 * 24 * 60 * minute,
  },
  /** What goes with a deleted organisation, so many rows at a time; and once more when nothing of it can be under way. */
  deletion: { rowsTogether: 1_000, againAfterSeconds: 24 * 60 * 60 },
  responses: {
    /** Responses a conversation may be made of. */
    chainMax: 1_000,
    /** Responses whose items one request may refer to. */
    referencesMax: 1_000,
    /** What one response may bring to be stored; and all together, sealed, that one request builds on. */
    storedCharsMax: 8 * mib,
    sealedBytesMax: 48 * mib,
    /** Files that are stored in one statement. */
    flushBytesMax: 16 * mib,
    flushEveryMs: 100,
    flushRowsMax: 100,
    retryAfterMs: second,
    backgroundTimeoutMs: 60 * minute,
    /** How soon a background response notices that it was cancelled. */
    cancelNoticedMs: second,
    eventsFlushMs: 250,
    eventsPollMs: 250,
  },
  jobs: {
    connectionsMax: 3,
    pollEverySeconds: 2,
    /** A job's worker that is silent for this long counts as dead; looked for this often. */
    heartbeatSeconds: 20,
    superviseEverySeconds: 15,
    retryDelaySeconds: 5,
    retryDelayMaxSeconds: 30 * 60,
    finishedRetentionSeconds: 24 * 60 * 60,
    stopTimeoutMs: 20 * second,
  },
  shutdown: { readinessGraceMs: 5 * second, drainTimeoutMs: minute },
} as const;
