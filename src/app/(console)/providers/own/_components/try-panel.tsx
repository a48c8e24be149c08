"use client";

import { Alert, Anchor, Button, Code, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { type Answer, ask } from "#app/_lib/inference.ts";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { ExcludedList } from "#app/_ui/excluded-list.tsx";
import { FormFailure } from "#app/_ui/form-failure.tsx";
import { ResultAlert } from "#app/_ui/result-alert.tsx";
import { Status } from "#app/_ui/status.tsx";
import type { Added } from "./provider-form.tsx";

const prompt = "Say hello in one sentence.";
const tokensMax = 64;

/** The answer of the provider itself: no other one may serve. */
async function answerOf(model: string, slug: string): Promise<Answer | undefined> {
  const body = {
    model,
    messages: [{ role: "user", content: prompt }],
    max_tokens: tokensMax,
    provider: { only: [slug] },
  };
  let last: Answer | undefined;
  for await (const answer of ask("/chat/completions", body, new AbortController().signal)) last = answer;
  return last;
}

/** As many models as a dry run may name. */
const checkedModelsMax = 20;

/** Which rules exclude the provider today. */
function RuleEffects({ slug, models }: Added) {
  const client = useTRPCClient();
  const result = useQuery({
    queryKey: ["own-provider-rules", slug, models],
    queryFn: async () =>
      (await client.routingRules.dryRun.mutate({ models: models.slice(0, checkedModelsMax) })).data,
  });
  if (!result.data) return <FormFailure error={result.error} />;
  const excluded = result.data.results.flatMap((one) =>
    one.excluded.filter(({ endpoint }) => endpoint.startsWith(`${slug}:`) || endpoint.startsWith(`${slug}/`)),
  );
  if (excluded.length === 0) return <Status tone="good">Your routing rules allow this provider</Status>;
  return (
    <Stack gap="xs">
      <Status tone="warning">Your routing rules exclude this provider</Status>
      <ExcludedList label="Excluded by your rules" excluded={excluded} />
    </Stack>
  );
}

/** The last step: what the rules say, and a first request. */
export function TryPanel({ added, onDone }: { added: Added; onDone: () => void }) {
  const [model = ""] = added.models;
  const [sent, setSent] = useState(false);
  const attempt = useMutation({
    mutationFn: () => answerOf(model, added.slug),
    onMutate: () => setSent(true),
  });
  const failure = attempt.data?.failure;
  return (
    <Stack>
      <Text size="sm">
        {added.name} is added. Requests can use it now, for example with the model <Code>{model}</Code>.
      </Text>
      {added.credentialProblem !== null && (
        <Alert color="red" role="alert" title="The credential is not stored">
          {added.credentialProblem}. Add it under{" "}
          <Anchor component={Link} href="/providers/credentials" inherit underline="always">
            Credentials
          </Anchor>
          .
        </Alert>
      )}
      <RuleEffects {...added} />
      {attempt.data && (
        <ResultAlert
          key={attempt.submittedAt}
          tone={failure ? "bad" : "good"}
          title={failure ? "Failed" : "Answer"}
        >
          {failure ? failure.message : attempt.data.text || attempt.data.reasoning || "An empty answer"}
        </ResultAlert>
      )}
      <Group justify="flex-end" gap="xs">
        <Button
          variant={sent ? "default" : "filled"}
          onClick={() => attempt.mutate()}
          loading={attempt.isPending}
        >
          {sent ? "Try again" : "Try it"}
        </Button>
        <Button variant={sent ? "filled" : "default"} onClick={onDone}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
