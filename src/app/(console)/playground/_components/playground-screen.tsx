"use client";

import { Button, SimpleGrid, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { useState } from "react";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { part } from "#app/_ui/part.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { presetPrefix } from "#contract/preset-name.ts";
import { emptyColumn } from "./column.ts";
import { CopyLink } from "./copy-link.tsx";
import { problemOf } from "./draft.ts";
import { OperationBar } from "./operation-bar.tsx";
import { useDraft, useExampleModel } from "./use-draft.ts";
import { useRun } from "./use-run.ts";

/** The frame is there first; the parts with forms and pickers load after it. */
const InputPanel = part(
  () => import("./input-panel.tsx").then(({ InputPanel }) => InputPanel),
  () => <Skeleton h={420} radius="md" />,
);
const Pane = part(
  () => import("./pane.tsx").then(({ Pane }) => Pane),
  () => <Skeleton h={420} radius="md" />,
);
const CodeDialog = part(() => import("./code-dialog.tsx").then(({ CodeDialog }) => CodeDialog));
const ReplayNotice = part(() => import("./replay-notice.tsx").then(({ ReplayNotice }) => ReplayNotice));

export function PlaygroundScreen() {
  const client = useTRPCClient();
  const dryRun = useQuery({
    queryKey: ["playground", "models"],
    queryFn: () => client.routingRules.dryRun.mutate({}),
  });
  const presets = useQuery(useTRPC().presets.list.queryOptions({}, { staleTime: 60_000 }));
  const [draft, change] = useDraft();
  useExampleModel(draft, change);
  const { columns, sent, running, run, stop, reset } = useRun(draft);
  const [replayedId] = useQueryState("replay", parseAsString);
  const [showsCode, setShowsCode] = useState(false);
  const problem = problemOf(draft);
  const mayAsk = useMay("inference:use");
  const offered = dryRun.data?.data.results.filter(({ provider_count: count }) => count > 0) ?? [];
  const hasAnswers = columns.some(({ answer }) => answer !== null);
  const offeredPresets = (presets.data?.data ?? []).map(({ name }) => presetPrefix + name);
  const chooseModel = (at: number, chosen: string) =>
    change({
      models: draft.models.with(at, chosen),
      // What the form sends would replace what the preset sets.
      ...(chosen.startsWith(presetPrefix) && { max_tokens: null }),
    });
  return (
    <Screen
      path="/playground"
      actions={
        <>
          <Button variant="default" onClick={() => setShowsCode(true)} disabled={problem !== null}>
            View code
          </Button>
          <CopyLink draft={draft} />
        </>
      }
    >
      {dryRun.isError && <FailureAlert error={dryRun.error} onRetry={() => void dryRun.refetch()} />}
      {replayedId && <ReplayNotice id={replayedId} onDraft={change} />}
      <OperationBar draft={draft} change={change} onReset={reset} />
      <SimpleGrid cols={{ base: 1, lg: draft.models.length + 1 }}>
        <InputPanel
          draft={draft}
          change={change}
          problem={mayAsk ? problem : "Your role cannot send requests"}
          running={running}
          onRun={() => void run()}
          onStop={stop}
          onReset={hasAnswers ? reset : null}
        />
        {draft.models.map((model, at) => (
          <Pane
            // The columns have no identity but their place.
            key={at === 0 ? "first" : "second"}
            title={at === 0 ? "Model" : "Second model"}
            model={model}
            models={offered}
            presets={offeredPresets}
            onModel={(chosen) => chooseModel(at, chosen)}
            sent={sent}
            column={columns[at] ?? emptyColumn}
          />
        ))}
      </SimpleGrid>
      {showsCode && <CodeDialog draft={draft} onClose={() => setShowsCode(false)} />}
    </Screen>
  );
}
