"use client";

import { Anchor, Button, Group, Stack, Text, ThemeIcon } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";
import { completionCurl } from "#app/_lib/curl.ts";
import { useEuOnly } from "#app/_lib/use-eu-only.ts";
import { useIsAdministrator } from "#app/_lib/use-may.ts";
import { CodeBlock } from "#app/_ui/code-block.tsx";
import { CheckIcon } from "#app/_ui/icons.tsx";

interface DoneProps {
  readonly done: boolean;
}

interface StepProps extends DoneProps {
  readonly waiting?: boolean;
  readonly title: string;
  readonly children?: ReactNode;
}

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

const Hint = ({ children }: { children: ReactNode }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
);

const StepLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Anchor component={Link} href={href} size="sm" underline="always">
    {children}
  </Anchor>
);

export const ProviderStep = ({ done, hasSandbox }: DoneProps & { hasSandbox: boolean }) => (
  <Step done={done} title={done ? "A provider is connected" : "Connect a provider"}>
    {!done && (
      <Hint>
        {hasSandbox && "The sandbox works without one. "}Other providers need your credential:{" "}
        <StepLink href="/providers">see the providers</StepLink>.
      </Hint>
    )}
  </Step>
);

export const ApiKeyStep = ({ done }: DoneProps) => (
  <Step done={done} title={done ? "API key created" : "Create an API key"}>
    <Hint>
      The first key was printed in the terminal at the first start. Set the environment variable
      PORTOLAN_API_KEY to it.
    </Hint>
  </Step>
);

/** Only administrators may create a rule for the organisation; others read what the step is about. */
export function EuOnlyStep({ done }: DoneProps) {
  const euOnly = useEuOnly();
  const isAdministrator = useIsAdministrator();
  return (
    <Step done={done} title={done ? "Requests stay in the EU" : "Keep requests in the EU (optional)"}>
      {!done && (
        <Hint>
          Adds one rule for the whole organisation: inference runs only in the EU. You can turn it off at any
          time.
        </Hint>
      )}
      {!done && isAdministrator && (
        <div>
          <Button size="xs" onClick={() => euOnly.mutate()} loading={euOnly.isPending}>
            EU only
          </Button>
        </div>
      )}
    </Step>
  );
}

export const FirstRequestStep = ({ done, exampleModel }: DoneProps & { exampleModel: string | null }) => (
  <Step done={done} waiting title={done ? "First request received" : "Waiting for your first request…"}>
    <Hint>{done ? "See its route and cost below." : "Run this in a terminal:"}</Hint>
    {!done && <CodeBlock label="request" code={completionCurl(window.location.origin, exampleModel)} />}
  </Step>
);

export const DestinationStep = ({ done }: DoneProps) => (
  <Step
    done={done}
    title={done ? "Traces are sent to a destination" : "Send traces to a destination (optional)"}
  >
    {!done && (
      <Hint>
        Send every request to your tracing tool, a webhook or storage:{" "}
        <StepLink href="/destinations?add=choose">add a destination</StepLink>.
      </Hint>
    )}
  </Step>
);
