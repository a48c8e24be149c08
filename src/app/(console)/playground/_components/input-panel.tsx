"use client";

import { Button, Collapse, Group, NumberInput, Stack, Switch, Text, Textarea } from "@mantine/core";
import { type KeyboardEvent, useState } from "react";
import { Panel } from "#app/_ui/panel.tsx";
import { type Draft, operations } from "./draft.ts";
import { History } from "./history.tsx";

interface InputPanelProps {
  readonly draft: Draft;
  readonly change: (change: Partial<Draft>) => void;
  /** Why it cannot be sent yet. */
  readonly problem: string | null;
  readonly running: boolean;
  readonly onRun: () => void;
  readonly onStop: () => void;
  /** Forgets the answers; null when there are none. */
  readonly onReset: (() => void) | null;
}

const numberOr = (value: string | number): number | null => (typeof value === "number" ? value : null);

/** What is sent: the words, and how they are to be answered. */
export function InputPanel({ draft, change, problem, running, onRun, onStop, onReset }: InputPanelProps) {
  const { multiTurn, streams, tools } = operations[draft.operation];
  const [chosen, setOpen] = useState<boolean | null>(null);
  // What is filled in is not hidden, unless a person hides it.
  const open = chosen ?? (draft.tools !== "" || draft.fields !== "");
  const reranks = draft.operation === "rerank";
  const send = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey) || problem !== null || running) return;
    event.preventDefault();
    onRun();
  };
  return (
    <Panel title="Request">
      <Stack gap="sm">
        {multiTurn && (
          <Textarea
            label="System"
            placeholder="How the model should behave"
            autosize
            minRows={1}
            maxRows={6}
            value={draft.system}
            onChange={({ currentTarget }) => change({ system: currentTarget.value })}
          />
        )}
        {multiTurn && draft.history.length > 0 && (
          <History history={draft.history} onForget={() => change({ history: [] })} />
        )}
        <Textarea
          label={reranks ? "Query" : draft.operation === "completions" ? "Prompt" : "Message"}
          placeholder={reranks ? "Search query" : "Say hello from the sea"}
          autosize
          minRows={4}
          maxRows={16}
          value={draft.input}
          onChange={({ currentTarget }) => change({ input: currentTarget.value })}
          onKeyDown={send}
        />
        {reranks && (
          <Textarea
            label="Documents, one per line"
            autosize
            minRows={4}
            maxRows={16}
            value={draft.documents}
            onChange={({ currentTarget }) => change({ documents: currentTarget.value })}
            onKeyDown={send}
          />
        )}
        {!reranks && (
          <Group grow align="flex-start">
            <NumberInput
              label="Temperature"
              placeholder="Default"
              min={0}
              max={2}
              step={0.1}
              decimalScale={2}
              value={draft.temperature ?? ""}
              onChange={(value) => change({ temperature: numberOr(value) })}
            />
            <NumberInput
              label="Max tokens"
              min={1}
              max={1_000_000}
              allowDecimal={false}
              value={draft.max_tokens ?? ""}
              onChange={(value) => change({ max_tokens: numberOr(value) })}
            />
          </Group>
        )}
        {streams && (
          <Switch
            label="Stream the answer"
            checked={draft.stream}
            onChange={({ currentTarget }) => change({ stream: currentTarget.checked })}
          />
        )}
        <Button
          variant="subtle"
          size="compact-sm"
          w="fit-content"
          onClick={() => setOpen(!open)}
          aria-expanded={open}
        >
          {open ? "Hide advanced" : "Advanced"}
        </Button>
        <Collapse expanded={open}>
          <Stack gap="sm">
            {tools && (
              <JsonArea
                label="Tools (JSON array)"
                value={draft.tools}
                onChange={(text) => change({ tools: text })}
              />
            )}
            <JsonArea
              label="Other parameters (JSON object)"
              placeholder={'{ "provider": { "data_residency": "eu" }, "top_p": 0.9 }'}
              value={draft.fields}
              onChange={(text) => change({ fields: text })}
            />
          </Stack>
        </Collapse>
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

interface JsonAreaProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

const JsonArea = ({ onChange, ...props }: JsonAreaProps) => (
  <Textarea
    {...props}
    autosize
    minRows={3}
    maxRows={12}
    styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  />
);
