"use client";

import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { useEuOnly } from "#app/_lib/use-eu-only.ts";
import { EmptyState } from "#app/_ui/empty-state.tsx";

/** Stands in the place of an empty list. Who may write rules for the organisation is offered one click for the EU. */
export function NoRules({ mayAddEuOnly, children }: { mayAddEuOnly: boolean; children: ReactNode }) {
  const euOnly = useEuOnly();
  return (
    <EmptyState
      title="No routing rules yet"
      text="Rules decide where inference runs, which providers serve it, how long they keep data and what it may cost. They apply to all matching requests within a second. Requests cannot override them."
    >
      {mayAddEuOnly && (
        <Button size="xs" onClick={() => euOnly.mutate()} loading={euOnly.isPending}>
          EU only
        </Button>
      )}
      {children}
    </EmptyState>
  );
}
