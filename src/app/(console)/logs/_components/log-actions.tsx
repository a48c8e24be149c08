"use client";

import type { ComponentProps } from "react";
import { ColumnMenu } from "#app/_ui/column-menu.tsx";
import { ViewMenu } from "#app/_ui/view-menu.tsx";
import { SaveLogs } from "./save-logs.tsx";

interface LogActionsProps {
  readonly menu: ComponentProps<typeof ColumnMenu>;
  readonly saving: ComponentProps<typeof SaveLogs>;
}

/** What can be done with the whole list. */
export const LogActions = ({ menu, saving }: LogActionsProps) => (
  <>
    <ViewMenu path="/logs" />
    <ColumnMenu {...menu} />
    <SaveLogs {...saving} />
  </>
);
