import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { otherValues, type TagName } from "#contract/tag.ts";
import { limits } from "./limits.ts";
import { metricsText } from "./worker-metrics.ts";

type Labels<Name extends string> = Readonly<Record<Name, string | number>>;

/** Where the values of labels lead to, one label after the other. */
class Branch<Name extends string> {
  readonly #below = new Map<string | number, Branch<Name>>();
  counted: { readonly labels: Labels<Name>; count: number } | null = null;

  at(value: string | number): Branch<Name> {
    const known = this.#below.get(value);
    if (known) return known;
    const branch = new Branch<Name>();
    this.#below.set(value, branch);
    return branch;
  }
}

/**
 * A counter for the request path: counting is one look-up for each label. prom-client, which sorts and hashes
 * labels on each call, only hears of the totals when somebody reads them.
 */
function tally<Name extends string>(options: {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Name[];
  readonly registers: Registry[];
}) {
  const { labelNames } = options;
  const root = new Branch<Name>();
  const all: NonNullable<Branch<Name>["counted"]>[] = [];
  new Counter({
    ...options,
    labelNames: [...labelNames],
    collect() {
      this.reset();
      for (const { labels, count } of all) this.inc(labels, count);
    },
  });
  return {
    inc(labels: Labels<Name>): void {
      let branch = root;
      for (const name of labelNames) branch = branch.at(labels[name]);
      if (!branch.counted) {
        branch.counted = { labels, count: 0 };
        all.push(branch.counted);
      }
      branch.counted.count++;
    },
  };
}

/** Counts requests by the values of these tags. Further values than a tag may have are counted together. */
function tagTally(names: readonly TagName[], registers: Registry[]) {
  const known = new Map(names.map((name) => [name, new Set<string>()]));
  const requests = tally({
    name: "portolan_tag_requests_total",
    help: "Requests finished, by value of the tags in METRICS_TAGS",
    labelNames: ["tag", "value"],
    registers,
  });
  return {
    inc(tags: Readonly<Record<string, string>>): void {
      for (const [tag, values] of known) {
        const value = tags[tag];
        if (value === undefined) continue;
        if (values.size < limits.tags.metricValuesMax) values.add(value);
        requests.inc({ tag, value: values.has(value) ? value : otherValues });
      }
    },
  };
}

/** A registry with what Node.js reports about the process. */
function processRegistry(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register, prefix: "portolan_" });
  return register;
}

const databaseMetrics = (registers: Registry[]) => ({
  statements: new Counter({
    name: "portolan_database_statements_total",
    help: "SQL statements sent to the database",
    registers,
  }),
  replicaInUse: new Gauge({
    name: "portolan_database_replica_in_use",
    help: "1 while reports are read from the replica, 0 while they are read from the primary or there is no replica",
    aggregator: "min",
    registers,
  }),
});

/** Prometheus metrics of this process, one object so that names are spelled once. `tags` are labels of requests. */
export function createMetrics(tags: readonly TagName[] = []) {
  const registry = processRegistry();
  const registers = [registry];
  return {
    contentType: registry.contentType,
    /** Everything below in Prometheus' text format, over all workers of this machine. */
    text: metricsText(registry),
    requests: tally({
      name: "portolan_http_requests_total",
      help: "HTTP requests answered, by lane and status",
      labelNames: ["lane", "status"],
      registers,
    }),
    connectionsDropped: new Counter({
      name: "portolan_http_connections_dropped_total",
      help: "Connections closed unanswered because as many as the process may hold were open",
      registers,
    }),
    generations: tally({
      name: "portolan_generations_total",
      help: "Generations finished, by provider and end status",
      labelNames: ["provider", "status"],
      registers,
    }),
    tags: tagTally(tags, registers),
    attempts: tally({
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
    deliveries: new Counter({
      name: "portolan_deliveries_total",
      help: "Traces sent to destinations, by type of destination and outcome",
      labelNames: ["type", "outcome"],
      registers,
    }),
    deliveryBacklog: new Gauge({
      name: "portolan_delivery_backlog",
      help: "Traces that wait to be delivered, as last counted by this process",
      aggregator: "max",
      registers,
    }),
    deliveryLag: new Gauge({
      name: "portolan_delivery_lag_seconds",
      help: "Age of the oldest trace that waits to be delivered, as last counted by this process",
      aggregator: "max",
      registers,
    }),
    ...databaseMetrics(registers),
    spoolPending: new Gauge({
      name: "portolan_spool_pending_records",
      help: "Finished generations in the spool that are not in the database yet",
      registers,
    }),
    spoolSetAside: new Counter({
      name: "portolan_spool_set_aside_total",
      help: "Records that could not be booked and are kept in files beside the spool, by reason",
      labelNames: ["reason"],
      registers,
    }),
    snapshotAge: new Gauge({
      name: "portolan_snapshot_age_seconds",
      help: "Seconds since the configuration snapshot was last known to be current",
      aggregator: "max",
      registers,
    }),
  };
}
export type Metrics = ReturnType<typeof createMetrics>;
