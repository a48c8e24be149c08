import { pino } from "pino";
import { maskSecrets } from "./mask-secrets.ts";
import { OutboundError } from "./outbound-error.ts";

/** The only fields a log line can have. All others are left out instead of redacted, so that none can leak. */
export interface LogFields {
  readonly event?: string;
  readonly request_id?: string;
  readonly generation_id?: string;
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly duration_ms?: number;
  readonly code?: string;
  readonly provider?: string;
  readonly endpoint?: string;
  readonly attempt?: number;
  readonly count?: number;
  readonly port?: number;
  readonly host?: string;
  readonly reason?: string;
  readonly version?: string;
  readonly error?: unknown;
}

export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

const allowed: readonly (keyof LogFields)[] = [
  "event",
  "request_id",
  "generation_id",
  "method",
  "path",
  "status",
  "duration_ms",
  "code",
  "provider",
  "endpoint",
  "attempt",
  "count",
  "port",
  "host",
  "reason",
  "version",
];

/**
 * Name, message and stack of an error and its causes, without other properties, which may contain secrets. Errors of
 * connections to other hosts have no stack, because the code is not their cause.
 */
function describeError(thrown: unknown, withStack = true): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const stacked = withStack && !(thrown instanceof OutboundError);
  const text = (stacked && thrown.stack) || `${thrown.name}: ${thrown.message}`;
  if (thrown.cause === undefined) return text;
  return `${text}${stacked ? "\n" : ", "}caused by ${describeError(thrown.cause, stacked)}`;
}

/** What of the fields may be logged. Texts may quote what a client sent: API keys in them are masked. */
function pick(fields: LogFields): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const name of allowed) {
    const value = fields[name];
    if (value !== undefined) out[name] = typeof value === "string" ? maskSecrets(value) : value;
  }
  if (fields.error !== undefined) out.error = maskSecrets(describeError(fields.error));
  return out;
}

/** A logger writing JSON lines to standard output, or to `write` in tests. */
export function createLog(level: string, write?: (line: string) => void): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const sink = write ? pino(options, { write }) : pino(options, pino.destination({ fd: 1, sync: false }));
  return {
    debug: (fields, message) => sink.debug(pick(fields), maskSecrets(message)),
    info: (fields, message) => sink.info(pick(fields), maskSecrets(message)),
    warn: (fields, message) => sink.warn(pick(fields), maskSecrets(message)),
    error: (fields, message) => sink.error(pick(fields), maskSecrets(message)),
  };
}

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
