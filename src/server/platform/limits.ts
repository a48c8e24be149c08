const second = 1_000;
const minute = 60 * second;
const kib = 1024;
const mib = 1024 * kib;

/** Every limit and timeout of the process in one table. Units stand last in each name. */
export const limits = {
  http: {
    headersTimeoutMs: 10 * second,
    requestTimeoutMs: 2 * minute,
    bodyTimeoutMs: minute,
    keepAliveTimeoutMs: 65 * second,
    maxRequestsPerSocket: 10_000,
    headerBytesMax: 16 * kib,
  },
  body: {
    inferenceBytesMax: 32 * mib,
    managementBytesMax: mib,
    authBytesMax: 64 * kib,
    depthMax: 64,
    keysMax: 10_000,
  },
  upstream: {
    connectTimeoutMs: 5 * second,
    firstByteTimeoutMs: 2 * minute,
    streamFirstByteTimeoutMs: minute,
    idleTimeoutMs: minute,
    totalTimeoutMs: 15 * minute,
    headerBytesMax: 16 * kib,
    bodyBytesMax: 64 * mib,
    sseLineBytesMax: mib,
    connectionsPerOriginMax: 256,
    keepAliveTimeoutMs: 30 * second,
    attemptsMax: 8,
  },
  stream: {
    heartbeatMs: 15 * second,
    bufferedBytesMax: 256 * kib,
    drainTimeoutMs: minute,
    progressEveryChunks: 32,
    progressEveryMs: second,
  },
  spool: {
    segmentBytesMax: 16 * mib,
    syncWithinMs: 50,
    flushEveryMs: 250,
    flushRowsMax: 1_000,
    retryAfterMs: second,
  },
  credit: {
    leaseTtlMs: 20 * minute,
    leaseShareOfBalance: 20,
    leaseEur: "1",
    askAheadAfterMs: second,
  },
  authorization: {
    codeLifetimeMs: 10 * minute,
    /** Used codes are known this long, so that their reuse is noticed. */
    keepUsedMs: 30 * 24 * 60 * minute,
    attemptsMax: 5,
    failures: { failuresMax: 10, windowMs: minute },
  },
  snapshot: { pollEveryMs: second, staleMaxMs: 15 * minute },
  database: {
    poolMax: 10,
    acquireTimeoutMs: 2 * second,
    statementTimeoutMs: 5 * second,
    transactionTimeoutMs: 15 * second,
  },
  shutdown: { readinessGraceMs: 5 * second, drainTimeoutMs: minute },
} as const;
