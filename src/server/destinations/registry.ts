import { AppError } from "#server/platform/errors.ts";
import type { DestinationKind } from "./kind.ts";
import { arize } from "./kinds/arize.ts";
import { axiom } from "./kinds/axiom.ts";
import { bigquery } from "./kinds/bigquery.ts";
import { braintrust } from "./kinds/braintrust.ts";
import { clickhouse } from "./kinds/clickhouse.ts";
import { datadog } from "./kinds/datadog.ts";
import { dynatrace } from "./kinds/dynatrace.ts";
import { grafana } from "./kinds/grafana.ts";
import { honeycomb } from "./kinds/honeycomb.ts";
import { langfuse } from "./kinds/langfuse.ts";
import { langsmith } from "./kinds/langsmith.ts";
import { newrelic } from "./kinds/newrelic.ts";
import { opik } from "./kinds/opik.ts";
import { otelCollector } from "./kinds/otel-collector.ts";
import { posthog } from "./kinds/posthog.ts";
import { ramp } from "./kinds/ramp.ts";
import { s3 } from "./kinds/s3.ts";
import { sentry } from "./kinds/sentry.ts";
import { signoz } from "./kinds/signoz.ts";
import { snowflake } from "./kinds/snowflake.ts";
import { weave } from "./kinds/weave.ts";
import { webhook } from "./kinds/webhook.ts";

/** Every type of destination, in the order of the console. docs/guides/add-a-destination.md says how to add one. */
export const destinationKinds: readonly DestinationKind[] = [
  webhook,
  otelCollector,
  langfuse,
  langsmith,
  datadog,
  braintrust,
  posthog,
  s3,
  clickhouse,
  snowflake,
  bigquery,
  sentry,
  grafana,
  newrelic,
  arize,
  opik,
  weave,
  dynatrace,
  axiom,
  honeycomb,
  signoz,
  ramp,
];

const byType = new Map(destinationKinds.map((kind) => [kind.type, kind]));

/** Throws BAD_REQUEST with the list of known types. */
export function kindOf(type: string): DestinationKind {
  const kind = byType.get(type);
  if (kind) return kind;
  const known = [...byType.keys()].join(", ");
  throw new AppError("BAD_REQUEST", `type: must be one of ${known}`, {
    param: "type",
    metadata: { issues: [{ path: "type", message: `must be one of ${known}` }] },
  });
}
