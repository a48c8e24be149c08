import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** Prometheus metrics of this process, one object so that names are spelled once. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "portolan_" });
  const registers = [registry];
  return {
    registry,
    requests: new Counter({
      name: "portolan_http_requests_total",
      help: "HTTP requests answered, by lane and status",
      labelNames: ["lane", "status"],
      registers,
    }),
    generations: new Counter({
      name: "portolan_generations_total",
      help: "Generations finished, by provider and end status",
      labelNames: ["provider", "status"],
      registers,
    }),
    attempts: new Counter({
      name: "portolan_upstream_attempts_total",
      help: "Attempts at upstream providers, by provider and outcome",
      labelNames: ["provider", "outcome"],
      registers,
    }),
    firstByte: new Histogram({
      name: "portolan_upstream_first_byte_seconds",
      help: "Time from the attempt's start to the upstream's first byte",
      labelNames: ["provider"],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    }),
    statements: new Counter({
      name: "portolan_database_statements_total",
      help: "SQL statements sent to the database",
      registers,
    }),
    spoolPending: new Gauge({
      name: "portolan_spool_pending_records",
      help: "Finished generations in the spool that are not in the database yet",
      registers,
    }),
    snapshotAge: new Gauge({
      name: "portolan_snapshot_age_seconds",
      help: "Seconds since the configuration snapshot was last known to be current",
      registers,
    }),
  };
}
export type Metrics = ReturnType<typeof createMetrics>;
