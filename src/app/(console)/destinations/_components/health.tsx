import { Status, type Tone } from "#app/_ui/status.tsx";
import type { Destination } from "#contract/destination.ts";

type State = Destination["health"]["state"];

const states: Record<State, { tone: Tone; label: string }> = {
  active: { tone: "good", label: "Delivering" },
  // Sending pauses for a while after failures, and is tried again.
  paused: { tone: "warning", label: "Failing" },
  stopped: { tone: "bad", label: "Stopped" },
  disabled: { tone: "neutral", label: "Off" },
};

/** How sending goes, and why not, where it does not. */
export function DestinationHealth({ health }: Pick<Destination, "health">) {
  const { tone, label } = states[health.state];
  const failing = health.state === "active" && health.consecutive_failures > 0;
  const why = health.stopped_reason ?? health.last_error ?? undefined;
  if (failing) {
    return (
      <Status tone="warning" {...(why && { title: why })}>
        Failing
      </Status>
    );
  }
  return (
    <Status tone={tone} {...(why && health.state !== "disabled" && { title: why })}>
      {label}
    </Status>
  );
}
