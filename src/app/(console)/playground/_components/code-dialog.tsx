"use client";

import { Tabs } from "@mantine/core";
import { CodeBlock } from "#app/_ui/code-block.tsx";
import { Dialog } from "#app/_ui/dialog.tsx";
import type { Draft } from "./draft.ts";
import { snippetsOf } from "./snippets.ts";

/** The request of the draft as a person would write it into a program. */
export function CodeDialog({ draft, onClose }: { draft: Draft; onClose: () => void }) {
  const snippets = snippetsOf(window.location.origin, draft);
  return (
    <Dialog title="Code" onClose={onClose}>
      <Tabs defaultValue={snippets[0]?.label}>
        <Tabs.List mb="sm">
          {snippets.map(({ label }) => (
            <Tabs.Tab key={label} value={label}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ label, code }) => (
          <Tabs.Panel key={label} value={label}>
            <CodeBlock code={code} label={`${label} code`} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Dialog>
  );
}
