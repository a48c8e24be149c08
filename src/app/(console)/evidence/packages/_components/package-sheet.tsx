"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import { formatAbsolute, formatBytes, formatCount } from "#app/_lib/format.ts";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { Facts } from "#app/_ui/facts.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import { toastDone, toastFailure } from "#app/_ui/toast.tsx";
import type { EvidencePackage } from "#contract/evidence-package.ts";
import { fileAddress, filterFacts, isUnderWay, periodText, statusText } from "./package-text.ts";

interface PackageSheetProps {
  readonly shown: EvidencePackage;
  /** The name of a person or key. */
  readonly nameOf: (id: string) => string;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

/** An evidence package: its progress, or its archive. */
export function PackageSheet({ shown, nameOf, onDeleted, onClose }: PackageSheetProps) {
  const { evidencePackages } = useTRPCClient();
  const deletion = useMutation({
    mutationFn: () => evidencePackages.delete.mutate({ id: shown.id }),
    onSuccess: () => {
      onDeleted();
      return toastDone("The evidence package is deleted.");
    },
    onError: toastFailure,
  });
  const { completed_at, expires_at, failure, problem, size_bytes, sha256, filter } = shown;
  return (
    <Sheet title="Evidence package" onClose={onClose}>
      <Stack gap="lg">
        <Facts
          label="Evidence package"
          rows={[
            ["Status", statusText(shown)],
            ["Failure", failure],
            ["Problem", problem],
            ["Period", periodText(filter)],
            ...filterFacts(filter, nameOf),
            [isUnderWay(shown) ? "Requests so far" : "Requests", formatCount(shown.requests)],
            ["Asked for", `${formatAbsolute(shown.created_at)}, by ${nameOf(shown.created_by)}`],
            ["Ready", shown.status === "ready" && completed_at ? formatAbsolute(completed_at) : null],
            ["Size", size_bytes === null ? null : formatBytes(size_bytes)],
            ["SHA-256", sha256],
            ["Deleted on", expires_at && formatAbsolute(expires_at)],
          ]}
        />
        <Group>
          {shown.status === "ready" && (
            <Button component="a" href={fileAddress(shown.id)} download={shown.file_name}>
              Download
            </Button>
          )}
          <Button variant="default" loading={deletion.isPending} onClick={() => deletion.mutate()}>
            {isUnderWay(shown) ? "Cancel" : "Delete"}
          </Button>
        </Group>
        <Text size="sm" c="dimmed">
          The same period and filters give the same archive again: compare the SHA-256. An erasure deletes
          stored packages, because they may name the person.
        </Text>
      </Stack>
    </Sheet>
  );
}
