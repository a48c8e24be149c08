"use client";

import { useEffect, useRef, useState } from "react";
import { ask, noAnswer } from "#app/_lib/inference.ts";
import { monotonicMs } from "#app/_lib/use-now.ts";
import { type Column, emptyColumn, withAnswer } from "./column.ts";
import { bodyOf, type Content, contentOf, type Draft, operations } from "./draft.ts";

const doubleClickMs = 500;
const emptyColumns: readonly Column[] = [emptyColumn, emptyColumn];

interface ActiveRun {
  readonly controller: AbortController;
  readonly startedMs: number;
}

/** Sends the draft to its models, one column for each, and collects their answers as they arrive. */
export function useRun(draft: Draft) {
  const [columns, setColumns] = useState(emptyColumns);
  const [sent, setSent] = useState<Content>("");
  const [running, setRunning] = useState(false);
  // Decides whether a run is active; the state above only shows it.
  const active = useRef<ActiveRun | null>(null);
  useEffect(() => () => active.current?.controller.abort(), []);

  const update = (at: number, column: Partial<Column>) =>
    setColumns((known) => known.map((one, index) => (index === at ? { ...one, ...column } : one)));

  async function run() {
    if (active.current) return;
    const controller = new AbortController();
    active.current = { controller, startedMs: monotonicMs() };
    setRunning(true);
    setSent(contentOf(draft));
    const { multiTurn, path } = operations[draft.operation];
    await Promise.all(
      draft.models.map(async (model, at) => {
        const turns = multiTurn ? withAnswer(columns[at] ?? emptyColumn, sent) : [];
        update(at, { turns, answer: noAnswer });
        const body = bodyOf(draft, model, turns);
        for await (const answer of ask(path, body, controller.signal)) update(at, { answer });
      }),
    );
    active.current = null;
    setRunning(false);
  }

  /** Stop replaces Run in the same place: the second half of a double click must not stop the run. */
  function stop() {
    const current = active.current;
    if (current && monotonicMs() - current.startedMs > doubleClickMs) current.controller.abort();
  }

  return { columns, sent, running, run, stop, reset: () => setColumns(emptyColumns) };
}
