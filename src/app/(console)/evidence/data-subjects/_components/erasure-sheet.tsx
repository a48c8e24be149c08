"use client";

import { Stack, Text } from "@mantine/core";
import { destinationName } from "#app/_lib/delivery-words.ts";
import { formatAbsolute, formatCount } from "#app/_lib/format.ts";
import { Facts } from "#app/_ui/facts.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import type { Erasure } from "#contract/data-subjects.ts";
import { statusText } from "./erasure-columns.tsx";
import { countLabels, subjectLabels } from "./subject.ts";

interface ErasureSheetProps {
  readonly erasure: Erasure;
  readonly by: string;
  readonly onClose: () => void;
}

/** What a dry run has found, or an erasure has erased. */
export function ErasureSheet({ erasure, by, onClose }: ErasureSheetProps) {
  const { dry_run, repeated, subject_type, subject_hash, reference, counts, destinations, requests_until } =
    erasure;
  const { created_at, completed_at, scanned_until, problem } = erasure;
  return (
    <Sheet title={dry_run ? "Dry run of an erasure" : "Erasure"} onClose={onClose}>
      <Stack gap="lg">
        <Facts
          label="Erasure"
          rows={[
            ["Status", statusText(erasure)],
            ["Problem", problem],
            ["Whose data", subjectLabels[subject_type]],
            ["Reference", reference],
            ["Done again", repeated ? "A backup from before it was restored." : null],
            ["Asked for", `${formatAbsolute(created_at)}, by ${by}`],
            ["Done", completed_at && formatAbsolute(completed_at)],
            ["Requests until", formatAbsolute(requests_until)],
            [
              "Progress",
              completed_at === null && scanned_until ? `done back to ${formatAbsolute(scanned_until)}` : null,
            ],
          ]}
        />
        <section aria-label={dry_run ? "Found" : "Erased"}>
          <Text fw={600}>{dry_run ? "What would be erased" : "What was erased"}</Text>
          <Facts
            label={dry_run ? "What would be erased" : "What was erased"}
            rows={Object.entries(countLabels).map(([name, label]) => [
              label,
              formatCount(counts[name as keyof typeof counts]),
            ])}
          />
        </section>
        {destinations.length > 0 && (
          <section aria-label="Destinations">
            <Text fw={600}>Destinations that received traces of these requests</Text>
            <Facts
              label="Destinations"
              rows={destinations.map(({ id, name, traces, with_content }) => [
                destinationName(id, name),
                `${formatCount(traces)} traces, ${formatCount(with_content)} with content`,
              ])}
            />
            <Text size="sm" c="dimmed">
              Delete them there: Portolan cannot. Whether traces from more than three days ago arrived is not
              stored.
            </Text>
          </section>
        )}
        <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          The person is not stored, only a keyed hash: {subject_hash}
          {!dry_run && ". The audit log has the erasure as a certificate, which the transparency log proves."}
        </Text>
      </Stack>
    </Sheet>
  );
}
