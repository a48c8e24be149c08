"use client";

import { Button, Group, SegmentedControl, SimpleGrid, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { parseAsString, useQueryState } from "nuqs";
import { useEffect, useRef, useState } from "react";
import { ask, noAnswer } from "#app/_lib/inference.ts";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { monotonicMs } from "#app/_lib/use-now.ts";
import { CopyButton } from "#app/_ui/copy-button.tsx";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { type Column, emptyColumn, withAnswer } from "./column.ts";
import { bodyOf, type Draft, emptyDraft, operations, problemOf } from "./draft.ts";
import { draftOf, fragmentOf } from "./shared-draft.ts";

/** The frame is there first; what takes forms and pickers follows. */
const InputPanel = dynamic(() => import("./input-panel.tsx").then(({ InputPanel }) => InputPanel), {
  ssr: false,
  loading: () => <Skeleton h={420} radius="md" />,
});
const Pane = dynamic(() => import("./pane.tsx").then(({ Pane }) => Pane), {
  ssr: false,
  loading: () => <Skeleton h={420} radius="md" />,
});
const CodeDialog = dynamic(() => import("./code-dialog.tsx").then(({ CodeDialog }) => CodeDialog), {
  ssr: false,
});

const ReplayNotice = dynamic(() => import("./replay-notice.tsx").then(({ ReplayNotice }) => ReplayNotice), {
  ssr: false,
});

const operationChoices = Object.entries(operations).map(([value, { label }]) => ({ value, label }));

const doubleClickMs = 500;

/** The draft, begun from a shared link when the address holds one. */
function useDraft() {
  const [draft, setDraft] = useState<Draft>(emptyDraft);
  useEffect(() => {
    const shared = draftOf(window.location.hash);
    if (shared) setDraft(shared);
  }, []);
  return [draft, (change: Partial<Draft>) => setDraft((known) => ({ ...known, ...change }))] as const;
}

export function PlaygroundScreen() {
  const client = useTRPCClient();
  const models = useQuery({
    queryKey: ["playground", "models"],
    queryFn: () => client.routingRules.dryRun.mutate({}),
  });
  const [draft, change] = useDraft();
  const [replayed] = useQueryState("replay", parseAsString);
  const [columns, setColumns] = useState<readonly Column[]>([emptyColumn, emptyColumn]);
  const [sentInput, setSentInput] = useState("");
  const [running, setRunning] = useState<AbortController | null>(null);
  const [showsCode, setShowsCode] = useState(false);
  const runningNow = useRef<AbortController | null>(null);
  const begunMs = useRef(0);
  useEffect(() => () => runningNow.current?.abort(), []);

  const operation = operations[draft.operation];
  const place = (at: number, column: Partial<Column>) =>
    setColumns((known) => known.map((one, index) => (index === at ? { ...one, ...column } : one)));

  async function run() {
    if (runningNow.current) return;
    const controller = new AbortController();
    runningNow.current = controller;
    begunMs.current = monotonicMs();
    setRunning(controller);
    setSentInput(draft.input);
    const sent = columns.map((column) => (operation.multiTurn ? withAnswer(column, sentInput) : []));
    await Promise.all(
      draft.models.map(async (model, at) => {
        const turns = sent[at] ?? [];
        place(at, { turns, answer: noAnswer });
        const body = bodyOf(draft, model, turns);
        for await (const answer of ask(operation.path, body, controller.signal)) place(at, { answer });
      }),
    );
    runningNow.current = null;
    setRunning(null);
  }

  // Stop stands where Run stood: the second half of a double click is not meant for it.
  function stop() {
    if (monotonicMs() - begunMs.current > doubleClickMs) running?.abort();
  }

  const reset = () => setColumns([emptyColumn, emptyColumn]);
  const problem = problemOf(draft);
  const mayAsk = useMay("inference:use");
  const offered = models.data?.data.results.filter(({ provider_count: count }) => count > 0) ?? [];
  const used = columns.some(({ answer }) => answer !== null);
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
      {models.isError && <FailureAlert error={models.error} onRetry={() => void models.refetch()} />}
      {replayed && <ReplayNotice id={replayed} onDraft={change} />}
      <Group justify="space-between">
        <SegmentedControl
          data={operationChoices}
          value={draft.operation}
          onChange={(operation) => {
            change({ operation: operation as Draft["operation"] });
            reset();
          }}
          aria-label="Operation"
        />
        <Button
          variant="subtle"
          size="xs"
          onClick={() =>
            change({ models: draft.models.length === 1 ? [...draft.models, ""] : draft.models.slice(0, 1) })
          }
        >
          {draft.models.length === 1 ? "Compare with a second model" : "Back to one model"}
        </Button>
      </Group>
      <SimpleGrid cols={{ base: 1, lg: draft.models.length + 1 }}>
        <InputPanel
          draft={draft}
          change={change}
          problem={mayAsk ? problem : "Your role cannot send requests"}
          running={running !== null}
          onRun={() => void run()}
          onStop={stop}
          onReset={used ? reset : null}
        />
        {draft.models.map((model, at) => (
          <Pane
            // The columns have no identity but their place.
            key={at === 0 ? "first" : "second"}
            title={at === 0 ? "Model" : "Second model"}
            model={model}
            models={offered}
            onModel={(chosen) =>
              change({ models: draft.models.map((known, index) => (index === at ? chosen : known)) })
            }
            sentInput={sentInput}
            column={columns[at] ?? emptyColumn}
          />
        ))}
      </SimpleGrid>
      {showsCode && <CodeDialog draft={draft} onClose={() => setShowsCode(false)} />}
    </Screen>
  );
}

/** The link holds the draft in its fragment, which browsers keep to themselves. */
function CopyLink({ draft }: { draft: Draft }) {
  const [origin, setOrigin] = useState("");
  useEffect(() => setOrigin(`${window.location.origin}${window.location.pathname}`), []);
  return <CopyButton value={`${origin}${fragmentOf(draft)}`} label="Copy a link to this draft" />;
}
