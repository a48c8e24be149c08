export { type CosignDeps, cosignCheckpoints } from "./cosign.ts";
export { createLogSigner, type LogSigner } from "./note.ts";
export { getLog, type LogDeps, proveAuditEntry, proveConsistency } from "./read-log.ts";
export { restartLogs } from "./restart-logs.ts";
export { Sequencer } from "./sequencer.ts";
export { readResource, readResourcePath } from "./static-resources.ts";
export { readCheckpoint, type StoredCheckpoint, verifyLogs } from "./verify-log.ts";
export { readWitness, type Witness } from "./witness.ts";
