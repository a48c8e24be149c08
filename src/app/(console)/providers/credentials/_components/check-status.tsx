import { Text } from "@mantine/core";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { Status, type Tone } from "#app/_ui/status.tsx";
import type { CredentialCheck, LastCheck } from "#contract/byok.ts";

const refusals: ReadonlySet<number | null> = new Set([401, 403]);

/** The result of a check in one word; sentences about it come from the server. */
export function verdictOf({ success, status }: CredentialCheck): { tone: Tone; label: string } {
  if (success) return { tone: "good", label: "Accepted" };
  return refusals.has(status) ? { tone: "bad", label: "Rejected" } : { tone: "warning", label: "Unknown" };
}

/** What its last check found, and when that was. */
export function CheckStatus({ check, nowMs }: { check: LastCheck | null; nowMs: number }) {
  if (!check) return <Status tone="neutral">Not checked</Status>;
  const { tone, label } = verdictOf(check);
  return (
    <>
      <Status tone={tone} title={check.message}>
        {label}
      </Status>
      <Text size="xs" c="dimmed" component="div">
        <RelativeTime iso={check.at} nowMs={nowMs} />
      </Text>
    </>
  );
}
