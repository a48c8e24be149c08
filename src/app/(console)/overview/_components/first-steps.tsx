"use client";

import { Button, Stack, VisuallyHidden } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { useRef } from "react";
import { Panel } from "#app/_ui/panel.tsx";
import type { FirstSteps as Steps } from "#contract/overview.ts";
import { ApiKeyStep, DestinationStep, EuOnlyStep, FirstRequestStep, ProviderStep } from "./steps.tsx";

const isComplete = ({ api_key, first_request, eu_only, provider, destination }: Steps): boolean =>
  api_key && first_request && eu_only && provider && destination;

/** The steps to a first completion. Shown until all are done when the page loads, or until they are hidden. */
export function FirstSteps({ steps }: { steps: Steps }) {
  const { api_key, first_request, eu_only, provider, destination, example_model: exampleModel } = steps;
  const wasCompleteAtFirst = useRef(isComplete(steps));
  const [hidden, setHidden] = useLocalStorage({
    key: "portolan-first-steps-hidden",
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  if (wasCompleteAtFirst.current || hidden) return null;
  // The remaining steps are optional.
  const hide = api_key && first_request && (
    <Button size="xs" variant="default" onClick={() => setHidden(true)}>
      Hide
    </Button>
  );
  return (
    <Panel title="First steps" aside={hide}>
      <Stack component="ol" gap="lg" p={0} m={0} style={{ listStyle: "none" }}>
        <ProviderStep done={provider} hasSandbox={exampleModel !== null} />
        <ApiKeyStep done={api_key} />
        <EuOnlyStep done={eu_only} />
        <FirstRequestStep done={first_request} exampleModel={exampleModel} />
        <DestinationStep done={destination} />
      </Stack>
      <VisuallyHidden role="status">{first_request ? "First request received" : ""}</VisuallyHidden>
    </Panel>
  );
}
