"use client";

import { Alert, SegmentedControl, SimpleGrid, Stack, Tabs } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { ConfirmButton } from "#app/_ui/confirm-button.tsx";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { ReadOnly } from "#app/_ui/read-only.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import { UnreadableAlert } from "#app/_ui/unreadable-alert.tsx";
import { Unsaved } from "#app/_ui/unsaved.tsx";
import type { RoutingRule, RuleScope } from "#contract/routing-rule.ts";
import { type Draft, draftOf, hasScope, newDraft } from "./draft.ts";
import { DryRunPanel } from "./dry-run-panel.tsx";
import { EffectsContext } from "./effect-text.tsx";
import { JsonEditor } from "./json-editor.tsx";
import { RuleForm } from "./rule-form.tsx";
import { RuleHistory } from "./rule-history.tsx";
import { SimulationPanel } from "./simulation-panel.tsx";
import { StartingPoints } from "./starting-points.tsx";
import { withSuggestion } from "./suggested-change.ts";
import { type DryRun, useDryRun } from "./use-dry-run.ts";
import { useMayChange } from "./use-may-change.ts";
import { useRuleDraft } from "./use-rule-draft.ts";
import { useRuleSaving } from "./use-rule-saving.ts";

interface RuleEditorProps {
  /** Null for a new one. */
  readonly rule: RoutingRule | null;
  /** The scope that a new rule begins with. */
  readonly newScope: RuleScope;
  /** Preferences as JSON that a link fills in; null for none. */
  readonly suggestion?: string | null;
  /** Resolves once nothing of the editor is shown or asks any more. */
  readonly onClose: () => Promise<unknown>;
}

const views = [
  { value: "form", label: "Form" },
  { value: "json", label: "JSON" },
];

const SuggestionNotice = () => (
  <Alert variant="default" role="status" title="A change is filled in">
    It would admit an endpoint that this rule excludes. The dry run shows what else it changes. Nothing
    changes until you save it.
  </Alert>
);

interface PreviewProps {
  readonly draft: Draft;
  readonly dryRun: DryRun;
  /** Null for a new one. */
  readonly rule: RoutingRule | null;
  /** Fills the form in with an earlier state; null for who may not change the rule. */
  readonly onRestore: ((draft: Draft) => void) | null;
}

/** What the draft would do: to requests tried now, and to those of the past; and how the rule was before. */
function Preview({ draft, dryRun, rule, onRestore }: PreviewProps) {
  const mayReadHistory = useMay("audit:read") && rule !== null;
  return (
    <Tabs defaultValue="dry-run" keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="dry-run">Dry run</Tabs.Tab>
        <Tabs.Tab value="past">Past traffic</Tabs.Tab>
        {mayReadHistory && <Tabs.Tab value="history">History</Tabs.Tab>}
      </Tabs.List>
      <Tabs.Panel value="dry-run">
        <DryRunPanel draft={draft} dryRun={dryRun} />
      </Tabs.Panel>
      <Tabs.Panel value="past">
        <SimulationPanel draft={draft} ruleId={rule?.id ?? null} />
      </Tabs.Panel>
      {mayReadHistory && (
        <Tabs.Panel value="history">
          <RuleHistory ruleId={rule.id} onRestore={onRestore} />
        </Tabs.Panel>
      )}
    </Tabs>
  );
}

/** A rule being written, and beside it what it would do. */
export function RuleEditor({ rule, newScope, suggestion = null, onClose }: RuleEditorProps) {
  const client = useTRPCClient();
  const mayChange = useMayChange();
  const [initial] = useState(() => (rule ? draftOf(rule) : { ...newDraft, scope: newScope }));
  const [first] = useState(() => withSuggestion(initial, suggestion));
  const edit = useRuleDraft(initial, first);
  const { draft, json, problem } = edit;
  const saving = useRuleSaving(rule, onClose);
  const readOnly = !mayChange(rule?.scope ?? "user");
  const dryRun = useDryRun(draft, rule?.id ?? null);

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (problem === null) saving.save(draft);
  }

  return (
    <Sheet
      title={rule ? rule.name : "Create a routing rule"}
      onClose={() => void onClose()}
      size="min(1240px, 100vw)"
    >
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <form method="post" onSubmit={submit} aria-label="Rule">
          <Unsaved when={edit.isEdited} />
          <Stack>
            <UnreadableAlert
              problem={rule?.problem}
              effect="Until it is corrected, the rule excludes every endpoint. Saving replaces all its preferences."
            />
            {first !== initial && <SuggestionNotice />}
            <SegmentedControl
              size="xs"
              aria-label="Edit as"
              data={views}
              value={json === null ? "form" : "json"}
              onChange={(view) => (view === "json" ? edit.showJson() : edit.showForm())}
              disabled={edit.hasUnreadJson}
            />
            <ReadOnly when={readOnly}>
              {json === null ? (
                <EffectsContext value={dryRun.effects}>
                  {rule === null && <StartingPoints draft={draft} onChange={edit.setDraft} />}
                  <RuleForm
                    draft={draft}
                    onChange={edit.setDraft}
                    stored={rule !== null}
                    mayChange={mayChange}
                  />
                </EffectsContext>
              ) : (
                <JsonEditor text={json} problem={problem} onChange={edit.writeJson} />
              )}
            </ReadOnly>
            <FormActions
              verb={readOnly ? null : rule ? "Save" : "Create"}
              error={saving.error}
              pending={saving.isPending}
              disabled={!hasScope(draft) || problem !== null}
              onCancel={() => void onClose()}
            >
              {rule && !readOnly && (
                <ConfirmButton
                  verb="Delete"
                  name={rule.name}
                  text="The rule stops applying to requests within a second. This cannot be undone. The audit log keeps its content."
                  onConfirm={() => client.routingRules.remove.mutate({ id: rule.id })}
                  onDone={() => saving.finish(`${rule.name} is deleted.`)}
                />
              )}
            </FormActions>
          </Stack>
        </form>
        <Preview draft={draft} dryRun={dryRun} rule={rule} onRestore={readOnly ? null : edit.load} />
      </SimpleGrid>
    </Sheet>
  );
}
