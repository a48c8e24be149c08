"use client";

import { Alert, Button, Checkbox, FileInput, Group, List, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { download } from "#app/_lib/download.ts";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { FormFailure } from "#app/_ui/form-failure.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import { toastDone } from "#app/_ui/toast.tsx";
import { UnreadableAlert } from "#app/_ui/unreadable-alert.tsx";
import { effectsOf } from "#contract/preference-words.ts";
import type { RoutingRule } from "#contract/routing-rule.ts";
import { fileOf, planOf, type RulePlan, readFile } from "./rule-file.ts";

/** Every rule the person can see: the server gives at most 1,000 at a time. */
function useAllRules() {
  const client = useTRPCClient();
  return useQuery({
    queryKey: ["all routing rules"],
    queryFn: async ({ signal }) => {
      const rules: RoutingRule[] = [];
      let total = 0;
      do {
        const query = { include_disabled: "true", offset: String(rules.length) } as const;
        const page = await client.routingRules.list.query(query, { signal });
        rules.push(...page.data);
        total = page.data.length > 0 ? page.total_count : 0;
      } while (rules.length < total);
      return rules;
    },
  });
}

/** Applies a plan, one rule after the other. After a failure the next plan shows the rest. */
function useApply(plan: RulePlan, removing: boolean, onDone: () => void) {
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      for (const rule of plan.create) await client.routingRules.create.mutate(rule);
      for (const { rule, to } of plan.update) {
        const { name, description, models, provider, enabled, auto_apply } = to;
        const change = { name, description, model: null, models, provider, enabled, auto_apply };
        await client.routingRules.update.mutate({ id: rule.id, ...change });
      }
      if (removing) for (const { id } of plan.others) await client.routingRules.remove.mutate({ id });
    },
    onSuccess: async () => {
      onDone();
      await toastDone("The rules are imported.");
    },
    onSettled: () => queryClient.invalidateQueries(),
  });
}

function Plan({ plan, onDone }: { plan: RulePlan; onDone: () => void }) {
  const [removing, setRemoving] = useState(false);
  const apply = useApply(plan, removing, onDone);
  const { create, update, others, unchanged } = plan;
  const count = create.length + update.length + (removing ? others.length : 0);
  return (
    <section aria-label="Plan">
      <Stack gap="sm">
        <Text fw={600}>Planned changes</Text>
        <List size="sm" spacing={4}>
          {create.map((rule) => (
            <List.Item key={`${rule.scope} ${rule.name}`}>
              Create <b>{rule.name}</b>: {effectsOf(rule.provider ?? null).join("; ") || "no effect"}
            </List.Item>
          ))}
          {update.map(({ rule, fields }) => (
            <List.Item key={rule.id}>
              Change <b>{rule.name}</b>: {fields.join(", ").replaceAll("_", " ")}
            </List.Item>
          ))}
          {removing &&
            others.map(({ id, name }) => (
              <List.Item key={id}>
                Delete <b>{name}</b>
              </List.Item>
            ))}
          {count === 0 && <List.Item>No changes.</List.Item>}
        </List>
        <Text size="sm" c="dimmed">
          {unchanged} {unchanged === 1 ? "rule" : "rules"} unchanged.
        </Text>
        {others.length > 0 && (
          <Checkbox
            label={`Also delete the ${others.length} that ${others.length === 1 ? "is" : "are"} not in the file`}
            checked={removing}
            onChange={(event) => setRemoving(event.currentTarget.checked)}
          />
        )}
        <FormFailure error={apply.error}>
          {" "}
          Earlier changes were applied. The plan now shows the rest.
        </FormFailure>
        <Group>
          <Button onClick={() => apply.mutate()} loading={apply.isPending} disabled={count === 0}>
            Apply
          </Button>
        </Group>
      </Stack>
    </section>
  );
}

/** Exports rules as a file, and imports one after its planned changes were shown. */
export function TransferSheet({ onClose }: { onClose: () => void }) {
  const all = useAllRules();
  const rules = all.data;
  const mayImport = useMay("routing:write");
  const [text, setText] = useState<string | null>(null);
  const read = text === null ? null : readFile(text);
  const unreadable = rules?.find(({ problem }) => problem !== null);
  return (
    <Sheet title="Import and export" onClose={onClose}>
      <Stack gap="lg">
        {all.isError && <FailureAlert error={all.error} onRetry={() => void all.refetch()} />}
        <div>
          <Text size="sm" mb="xs">
            Export all {rules?.length} rules you can see, for version control or another installation.
          </Text>
          <Button
            variant="default"
            disabled={!rules || unreadable !== undefined}
            onClick={() => rules && download("routing-rules.json", "application/json", fileOf(rules))}
          >
            Export
          </Button>
        </div>
        <UnreadableAlert
          problem={unreadable?.problem}
          effect={`The rules cannot be exported before ${unreadable?.name} is corrected or deleted.`}
        />
        {mayImport && (
          <FileInput
            label="Import from a file"
            description="Changes are shown before they are applied"
            placeholder="routing-rules.json"
            accept="application/json"
            onChange={async (file) => setText(file ? await file.text() : null)}
          />
        )}
        {read && "problem" in read && (
          <Alert color="red" role="alert">
            {read.problem}
          </Alert>
        )}
        {read && "rules" in read && rules && <Plan plan={planOf(rules, read.rules)} onDone={onClose} />}
      </Stack>
    </Sheet>
  );
}
