import type { Health } from "#contract/catalogue-view.ts";
import { formatDuration, formatShare } from "../_lib/format.ts";
import { Status } from "./status.tsx";

const seconds = (value: number): string => formatDuration(Math.round(value * 1000));

/** How a provider or endpoint has answered this process in the last half hour. */
export function HealthStatus({ health }: { health: Health }) {
  const { cooling, health: share, measured, latency_p50: latency } = health;
  const speed = latency === null ? "" : `, first token ${seconds(latency)}`;
  if (cooling) return <Status tone="bad">Cooling down after an error</Status>;
  if (!measured) return <Status tone="neutral">No recent traffic</Status>;
  if (share < 0.99) return <Status tone="warning">{`${formatShare(share)} successful${speed}`}</Status>;
  return <Status tone="good">{`Healthy${speed}`}</Status>;
}
