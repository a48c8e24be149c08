"use client";

import { Group, Stack, Text, ThemeIcon, VisuallyHidden } from "@mantine/core";
import { type ReactNode, useRef } from "react";
import type { Overview } from "#contract/overview.ts";
import { completionCurl } from "../../../_lib/curl.ts";
import { CodeBlock } from "../../../_ui/code-block.tsx";
import { CheckIcon } from "../../../_ui/icons.tsx";
import { Panel } from "../../../_ui/panel.tsx";

function Step({ done, waiting, title, children }: StepProps) {
  return (
    <Group component="li" align="flex-start" wrap="nowrap" gap="sm" data-done={done}>
      <ThemeIcon radius="xl" size={26} variant={done ? "filled" : "default"} color="green.8" mt={-2}>
        {done ? <CheckIcon width={16} height={16} aria-label="Done" aria-hidden="false" role="img" /> : null}
        {!done && waiting ? <span className="waiting-dot" /> : null}
      </ThemeIcon>
      <Stack gap="xs" style={{ minWidth: 0, flex: 1 }}>
        <Text fw={500}>{title}</Text>
        {children}
      </Stack>
    </Group>
  );
}

interface StepProps {
  readonly done: boolean;
  readonly waiting?: boolean;
  readonly title: string;
  readonly children?: ReactNode;
}

interface FirstStepsProps {
  readonly checklist: Overview["checklist"];
  readonly exampleModel: string | null;
}

/** The way to a first completion. Stays until it is done, and long enough to be seen turning green. */
export function FirstSteps({ checklist, exampleModel }: FirstStepsProps) {
  const { api_key, first_request } = checklist;
  const wasDoneAtFirst = useRef(api_key && first_request);
  if (wasDoneAtFirst.current) return null;
  return (
    <Panel title="First steps">
      <Stack component="ol" gap="lg" p={0} m={0} style={{ listStyle: "none" }}>
        <Step done={api_key} title={api_key ? "API key issued" : "Issue an API key"}>
          <Text size="sm" c="dimmed">
            The first key was printed once, when the server started on an empty database. Put it into
            PORTOLAN_API_KEY.
          </Text>
        </Step>
        <Step
          done={first_request}
          waiting
          title={first_request ? "First request received" : "Waiting for your first request…"}
        >
          <Text size="sm" c="dimmed">
            {first_request ? "It was routed, priced and recorded; see below." : "Run this in a terminal:"}
          </Text>
          {!first_request && (
            <CodeBlock label="request" code={completionCurl(window.location.origin, exampleModel)} />
          )}
        </Step>
      </Stack>
      <VisuallyHidden role="status">{first_request ? "First request received" : ""}</VisuallyHidden>
    </Panel>
  );
}
