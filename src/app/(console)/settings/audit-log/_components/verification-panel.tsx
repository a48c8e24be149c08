"use client";

import { Alert, Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { formatAbsolute, formatCount } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { SaveCheckpoint } from "#app/_ui/save-checkpoint.tsx";
import { Status } from "#app/_ui/status.tsx";

/** Whether the log is as it was written: walked when somebody asks for it, for it reads every row. */
export function VerificationPanel() {
  const verification = useQuery(
    useTRPC().audit.verify.queryOptions(undefined, { enabled: false, gcTime: 0, retry: false }),
  );
  const { data, isError, isFetching, refetch } = verification;
  if (isError) return <FailureAlert error={verification.error} onRetry={() => void refetch()} />;
  return (
    <Group gap="md" role="status">
      <Button size="xs" variant="default" loading={isFetching} onClick={() => void refetch()}>
        Verify the log
      </Button>
      <SaveCheckpoint />
      {!data && (
        <Text size="sm" c="dimmed">
          Each entry contains the hash of the previous one. Verification finds the first altered entry. A
          checkpoint that you store elsewhere proves later that nothing was changed since.
        </Text>
      )}
      {data && !data.broken && (
        <Status tone="good" title={formatAbsolute(data.checked_at)}>
          {data.first_checked === 1 ? "All" : "The newest"} {formatCount(data.rows_holding)} entries verified
        </Status>
      )}
      {data?.broken && (
        <Alert color="red" title={`Entry ${data.broken.position} failed verification`} w="100%">
          {data.broken.problem}. Earlier entries are intact. Keep a copy of the database and find out who
          could write to it.
        </Alert>
      )}
    </Group>
  );
}
