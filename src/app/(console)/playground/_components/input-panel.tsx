"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import type { KeyboardEvent } from "react";
import { Panel } from "#app/_ui/panel.tsx";
import { AdvancedFields } from "./advanced-fields.tsx";
import { AnswerFields } from "./answer-fields.tsx";
import type { Draft } from "./draft.ts";
import { PromptFields } from "./prompt-fields.tsx";
import type { ChangeDraft } from "./use-draft.ts";

interface InputPanelProps {
  readonly draft: Draft;
  readonly change: ChangeDraft;
  /** Why it cannot be sent yet. */
  readonly problem: string | null;
  readonly running: boolean;
  readonly onRun: () => void;
  readonly onStop: () => void;
  /** Removes the answers; null when there are none. */
  readonly onReset: (() => void) | null;
}

/** The request: its texts, how they should be answered, and the buttons to run and stop it. */
export function InputPanel({ draft, change, problem, running, onRun, onStop, onReset }: InputPanelProps) {
  const runOnCtrlEnter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey) || problem !== null || running) return;
    event.preventDefault();
    onRun();
  };
  return (
    <Panel title="Request">
      <Stack gap="sm">
        <PromptFields draft={draft} change={change} onKeyDown={runOnCtrlEnter} />
        <AnswerFields draft={draft} change={change} />
        <AdvancedFields draft={draft} change={change} />
        <Group justify="space-between">
          {running ? (
            <Button color="red" variant="light" onClick={onStop}>
              Stop
            </Button>
          ) : (
            <Button onClick={onRun} disabled={problem !== null}>
              Run
            </Button>
          )}
          {onReset && !running && (
            <Button variant="subtle" color="gray" onClick={onReset}>
              Start over
            </Button>
          )}
        </Group>
        <Text size="xs" c="dimmed" role="status">
          {problem ?? "Press Ctrl or ⌘ + Enter to run"}
        </Text>
      </Stack>
    </Panel>
  );
}
