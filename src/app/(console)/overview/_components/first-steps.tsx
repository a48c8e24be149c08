"use client";

import { Anchor, Button, Group, Stack, Text, ThemeIcon, VisuallyHidden } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import Link from "next/link";
import { type ReactNode, useRef } from "react";
import { completionCurl } from "#app/_lib/curl.ts";
import { useEuOnly } from "#app/_lib/use-eu-only.ts";
import { useIsAdministrator } from "#app/_lib/use-may.ts";
import { CodeBlock } from "#app/_ui/code-block.tsx";
import { CheckIcon } from "#app/_ui/icons.tsx";
import { Panel } from "#app/_ui/panel.tsx";
import type { FirstSteps as Steps } from "#contract/overview.ts";

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

const StepLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Anchor component={Link} href={href} size="sm" underline="always">
    {children}
  </Anchor>
);

interface StepProps {
  readonly done: boolean;
  readonly waiting?: boolean;
  readonly title: string;
  readonly children?: ReactNode;
}

/** The way to a first completion. Stays until all is done, and long enough to be seen turning green, or is put away. */
export function FirstSteps({ steps }: { steps: Steps }) {
  const { api_key, first_request, eu_only, provider, destination, example_model: exampleModel } = steps;
  const euOnly = useEuOnly();
  const mayBind = useIsAdministrator();
  const wasDoneAtFirst = useRef(api_key && first_request && eu_only && provider && destination);
  const [hidden, setHidden] = useLocalStorage({
    key: "portolan-first-steps-hidden",
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  if (wasDoneAtFirst.current || hidden) return null;
  return (
    <Panel
      title="First steps"
      aside={
        // The remaining steps are optional.
        api_key &&
        first_request && (
          <Button size="xs" variant="default" onClick={() => setHidden(true)}>
            Hide
          </Button>
        )
      }
    >
      <Stack component="ol" gap="lg" p={0} m={0} style={{ listStyle: "none" }}>
        <Step done={provider} title={provider ? "A provider is connected" : "Connect a provider"}>
          {!provider && (
            <Text size="sm" c="dimmed">
              {exampleModel && "The sandbox works without one. "}Other providers need your credential:{" "}
              <StepLink href="/providers">see the providers</StepLink>.
            </Text>
          )}
        </Step>
        <Step done={api_key} title={api_key ? "API key created" : "Create an API key"}>
          <Text size="sm" c="dimmed">
            The first key was printed in the terminal at the first start. Set the environment variable
            PORTOLAN_API_KEY to it.
          </Text>
        </Step>
        <Step
          done={eu_only}
          title={eu_only ? "Requests stay in the EU" : "Keep requests in the EU (optional)"}
        >
          {!eu_only && (
            <>
              <Text size="sm" c="dimmed">
                Adds one rule for the whole organisation: inference runs only in the EU. You can turn it off
                at any time.
              </Text>
              {mayBind && (
                <div>
                  <Button size="xs" onClick={() => euOnly.mutate()} loading={euOnly.isPending}>
                    EU only
                  </Button>
                </div>
              )}
            </>
          )}
        </Step>
        <Step
          done={first_request}
          waiting
          title={first_request ? "First request received" : "Waiting for your first request…"}
        >
          <Text size="sm" c="dimmed">
            {first_request ? "See its route and cost below." : "Run this in a terminal:"}
          </Text>
          {!first_request && (
            <CodeBlock label="request" code={completionCurl(window.location.origin, exampleModel)} />
          )}
        </Step>
        <Step
          done={destination}
          title={destination ? "Traces are sent to a destination" : "Send traces to a destination (optional)"}
        >
          {!destination && (
            <Text size="sm" c="dimmed">
              Send every request to your tracing tool, a webhook or storage:{" "}
              <StepLink href="/destinations?add=choose">add a destination</StepLink>.
            </Text>
          )}
        </Step>
      </Stack>
      <VisuallyHidden role="status">{first_request ? "First request received" : ""}</VisuallyHidden>
    </Panel>
  );
}
