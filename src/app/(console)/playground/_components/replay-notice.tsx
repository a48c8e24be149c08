"use client";

import { Alert, Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useEffect } from "react";
import { useTRPC } from "#app/_lib/trpc.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import type { Draft } from "./draft.ts";
import { draftOfReplay } from "./replayed-draft.ts";

interface ReplayNoticeProps {
  /** The generation whose request is to be sent again. */
  readonly id: string;
  readonly onDraft: (draft: Draft) => void;
}

/** Fills the form from a generation of the log, and names what is missing. */
export function ReplayNotice({ id, onDraft }: ReplayNoticeProps) {
  const replay = useQuery(useTRPC().generations.replay.queryOptions({ id }, { staleTime: Infinity }));
  const draft = replay.data && draftOfReplay(replay.data);
  // biome-ignore lint/correctness/useExhaustiveDependencies: filled once for each generation; later changes of a person stay
  useEffect(() => {
    if (draft) onDraft(draft);
  }, [replay.data]);
  if (replay.isError) return <FailureAlert error={replay.error} onRetry={() => void replay.refetch()} />;
  if (!replay.data) return null;
  return (
    <Alert role="status" title={draft ? "Filled in from the log" : "Not supported in the playground"}>
      <Text size="sm">
        {draft
          ? replay.data.content_kept
            ? "The stored request is filled in. Run sends it again with your own rules and key."
            : "The prompt of this request was not stored. Enter it again; the model and the recorded parameters are filled in."
          : `The playground does not support ${replay.data.operation}.`}{" "}
        <Anchor component={Link} href={`/logs?open=${id}`} size="sm">
          View request
        </Anchor>
      </Text>
    </Alert>
  );
}
