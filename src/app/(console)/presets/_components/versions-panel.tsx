"use client";

import { Accordion, Badge, Group, Skeleton, Stack, Text } from "@mantine/core";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { Pages } from "#app/_ui/pages.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { RowActions } from "#app/_ui/row-actions.tsx";
import { toastDone, toastFailure } from "#app/_ui/toast.tsx";
import type { PresetVersion, PresetWithVersion } from "#contract/preset.ts";
import { DifferenceTable } from "./difference-table.tsx";

const pageRows = 20;
const refreshMs = 30_000;

interface VersionRowProps {
  readonly version: PresetVersion;
  /** The version that it is compared with: the current one, for the current one its predecessor. */
  readonly other: PresetVersion | undefined;
  readonly isCurrent: boolean;
  readonly nowMs: number;
  readonly onRestore: ((version: PresetVersion) => void) | null;
  readonly onDelete: ((version: PresetVersion) => void) | null;
}

function VersionRow({ version, other, isCurrent, nowMs, onRestore, onDelete }: VersionRowProps) {
  const { version: number, restored_from: restored, created_at: at } = version;
  const label = `Differences of version ${number}`;
  return (
    <Accordion.Item value={String(number)}>
      <Accordion.Control>
        <Group gap="xs">
          <Text size="sm" fw={600}>
            Version {number}
          </Text>
          {isCurrent && (
            <Badge variant="light" tt="none">
              Current
            </Badge>
          )}
          <Text size="xs" c="dimmed">
            <RelativeTime iso={at} nowMs={nowMs} />
            {restored !== null && `, restored from version ${restored}`}
          </Text>
        </Group>
      </Accordion.Control>
      <Accordion.Panel>
        <Stack gap="sm">
          <Text size="xs" c="dimmed">
            {isCurrent
              ? other
                ? `What changed since version ${other.version}:`
                : "No earlier version is stored."
              : "What restoring would change in the current version:"}
          </Text>
          {other && <DifferenceTable label={label} before={other} after={version} />}
          {!isCurrent && (
            <RowActions
              actions={[
                onDelete !== null && {
                  verb: "Delete",
                  label: `Delete version ${number}`,
                  onClick: () => onDelete(version),
                },
                onRestore !== null && {
                  verb: "Restore",
                  label: `Restore version ${number}`,
                  onClick: () => onRestore(version),
                },
              ]}
            />
          )}
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  );
}

/** The versions of a preset, with what restoring each would change. */
export function VersionsPanel({ preset }: { preset: PresetWithVersion }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const mayWrite = useMay("workspaces:write");
  const nowMs = useNow(refreshMs);
  const [page, setPage] = useState(0);
  const slug = preset.name;
  const versions = useQuery(
    trpc.presets.versions.queryOptions(
      { slug, limit: String(pageRows), offset: String(page * pageRows) },
      { placeholderData: keepPreviousData },
    ),
  );
  const refresh = () => queryClient.invalidateQueries();
  const restore = useMutation(
    trpc.presets.restore.mutationOptions({
      onSuccess: ({ data: { version, designated_version: made } }) =>
        toastDone(`Version ${made.restored_from} is restored as version ${version}.`),
      onError: toastFailure,
      onSettled: refresh,
    }),
  );
  const remove = useMutation(
    trpc.presets.removeVersion.mutationOptions({ onError: toastFailure, onSettled: refresh }),
  );
  const send = (mutation: typeof restore | typeof remove) =>
    mayWrite ? ({ version }: PresetVersion) => mutation.mutate({ slug, version: String(version) }) : null;
  if (versions.isError)
    return <FailureAlert error={versions.error} onRetry={() => void versions.refetch()} />;
  if (!versions.data) return <Skeleton h={240} />;
  const { data, total_count: count } = versions.data;
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        Requests use the current version, unless they name another: {slug}@{data[0]?.version ?? 1}. Versions
        never change.
      </Text>
      <Accordion variant="contained" multiple>
        {data.map((version, at) => (
          <VersionRow
            key={version.id}
            version={version}
            isCurrent={version.version === preset.version}
            other={version.version === preset.version ? data[at + 1] : preset.designated_version}
            nowMs={nowMs}
            onRestore={send(restore)}
            onDelete={send(remove)}
          />
        ))}
      </Accordion>
      {count > pageRows && <Pages page={page} pageRows={pageRows} count={count} onPage={setPage} />}
    </Stack>
  );
}
