"use client";

import { SegmentedControl, SimpleGrid, Stack, Tabs } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { ConfirmButton } from "#app/_ui/confirm-button.tsx";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { ReadOnly } from "#app/_ui/read-only.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import { toastDone } from "#app/_ui/toast.tsx";
import { Unsaved } from "#app/_ui/unsaved.tsx";
import type { RoutingRule } from "#contract/routing-rule.ts";
import { changeOf, createOf, type Draft, draftOf, hasScope, newDraft } from "./draft.ts";
import { DryRunPanel } from "./dry-run-panel.tsx";
import { JsonEditor } from "./json-editor.tsx";
import { RuleForm } from "./rule-form.tsx";
import { jsonOf, readRule } from "./rule-json.ts";
import { SimulationPanel } from "./simulation-panel.tsx";
import { useMayChange } from "./use-may-change.ts";

interface RuleEditorProps {
  /** Null for a new one. */
  readonly rule: RoutingRule | null;
  /** Resolves once nothing of the editor is shown or asks any more. */
  readonly onClose: () => Promise<unknown>;
}

const views = [
  { value: "form", label: "Form" },
  { value: "json", label: "JSON" },
];

/** A rule being written, and beside it what it would do. */
export function RuleEditor({ rule, onClose }: RuleEditorProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const mayChange = useMayChange();
  const [initial] = useState<Draft>(
    rule ? draftOf(rule) : { ...newDraft, scope: mayChange("org") ? "org" : "user" },
  );
  const [draft, setDraft] = useState(initial);
  const readOnly = !mayChange(rule?.scope ?? "user");
  // What stands in the JSON face; null while the form is open.
  const [json, setJson] = useState<string | null>(null);
  const seen = json === null ? null : readRule(json);
  const problem = seen && "problem" in seen ? seen.problem : null;
  // Text that is in no draft: it would be lost with the face.
  const unread = problem !== null && json !== jsonOf(draft);
  const done = async (message: string) => {
    // Closed first: what it asks about a rule that is gone would not be found.
    await onClose();
    await queryClient.invalidateQueries();
    await toastDone(message);
  };
  const create = useMutation(
    trpc.routingRules.create.mutationOptions({ onSuccess: ({ data }) => done(`${data.name} is created.`) }),
  );
  const update = useMutation(
    trpc.routingRules.update.mutationOptions({ onSuccess: ({ data }) => done(`${data.name} is saved.`) }),
  );

  function write(text: string) {
    setJson(text);
    const next = readRule(text);
    if ("draft" in next) setDraft(next.draft);
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (problem !== null) return;
    if (rule) update.mutate({ id: rule.id, ...changeOf(draft) });
    else create.mutate(createOf(draft));
  }

  return (
    <Sheet
      title={rule ? rule.name : "Create a routing rule"}
      onClose={() => void onClose()}
      size="min(1240px, 100vw)"
    >
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <form method="post" onSubmit={submit} aria-label="Rule">
          <Unsaved when={unread || JSON.stringify(draft) !== JSON.stringify(initial)} />
          <Stack>
            <SegmentedControl
              size="xs"
              aria-label="Edit as"
              data={views}
              value={json === null ? "form" : "json"}
              onChange={(view) => setJson(view === "json" ? jsonOf(draft) : null)}
              disabled={unread}
            />
            <ReadOnly when={readOnly}>
              {json === null ? (
                <RuleForm draft={draft} onChange={setDraft} stored={rule !== null} mayChange={mayChange} />
              ) : (
                <JsonEditor text={json} problem={problem} onChange={write} />
              )}
            </ReadOnly>
            <FormActions
              verb={readOnly ? null : rule ? "Save" : "Create"}
              error={create.error ?? update.error}
              pending={create.isPending || update.isPending}
              disabled={!hasScope(draft) || problem !== null}
              onCancel={() => void onClose()}
            >
              {rule && !readOnly && (
                <ConfirmButton
                  verb="Delete"
                  name={rule.name}
                  text="The rule stops applying to requests within a second. This cannot be undone. The audit log keeps its content."
                  onConfirm={() => client.routingRules.remove.mutate({ id: rule.id })}
                  onDone={() => done(`${rule.name} is deleted.`)}
                />
              )}
            </FormActions>
          </Stack>
        </form>
        <Tabs defaultValue="dry-run" keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="dry-run">Dry run</Tabs.Tab>
            <Tabs.Tab value="past">Past traffic</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="dry-run">
            <DryRunPanel draft={draft} ruleId={rule?.id ?? null} />
          </Tabs.Panel>
          <Tabs.Panel value="past">
            <SimulationPanel draft={draft} ruleId={rule?.id ?? null} />
          </Tabs.Panel>
        </Tabs>
      </SimpleGrid>
    </Sheet>
  );
}
