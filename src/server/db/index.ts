export { type Database, openDatabase, type Statement, type Tx } from "./client.ts";
export { raiseConfigVersion } from "./config-version.ts";
export { type EmbeddedDatabase, startEmbedded } from "./embedded.ts";
export { connectionProblem, isConnectionFailure, isDataRefusal, isUniqueViolation } from "./errors.ts";
export { jsonNull } from "./json-null.ts";
export { migrate } from "./migrate.ts";
export { MigrationError, pendingMigrations } from "./migration-state.ts";
export { takeSessionLock } from "./session-lock.ts";
export { openSnapshot, type Snapshot, type Standing, standingOf } from "./snapshot.ts";
