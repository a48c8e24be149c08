"use client";

import { SimpleGrid, Stack, Tabs } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { fieldErrorsOf } from "#app/_lib/field-errors.ts";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useFieldErrors } from "#app/_lib/use-field-errors.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { ConfirmButton } from "#app/_ui/confirm-button.tsx";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { ReadOnly } from "#app/_ui/read-only.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import { toastDone } from "#app/_ui/toast.tsx";
import { UnreadableAlert } from "#app/_ui/unreadable-alert.tsx";
import { Unsaved } from "#app/_ui/unsaved.tsx";
import { type Budget, BudgetCreate } from "#contract/budget.ts";
import { BudgetFields } from "./budget-fields.tsx";
import { CountersPanel } from "./counters-panel.tsx";
import { changeOf, createOf, draftOf, newDraft } from "./draft.ts";
import { PreviewPanel } from "./preview-panel.tsx";
import type { useNames } from "./use-names.ts";

interface BudgetEditorProps {
  /** Null for a new one. */
  readonly budget: Budget | null;
  readonly names: ReturnType<typeof useNames>;
  /** Resolves once nothing of the editor is shown or asks any more. */
  readonly onClose: () => Promise<unknown>;
}

/** Saves a budget and closes the editor. */
function useBudgetSaving(close: () => Promise<unknown>) {
  const { create, update } = useTRPC().budgets;
  const queryClient = useQueryClient();
  const finish = async (message: string) => {
    await close();
    await queryClient.invalidateQueries();
    await toastDone(message);
  };
  const creating = useMutation(
    create.mutationOptions({ onSuccess: ({ data }) => finish(`${data.name} is created.`) }),
  );
  const updating = useMutation(
    update.mutationOptions({ onSuccess: ({ data }) => finish(`${data.name} is saved.`) }),
  );
  return { creating, updating, finish };
}

/** A budget being written or changed, and beside it its use and what it would do. */
export function BudgetEditor({ budget, names, onClose }: BudgetEditorProps) {
  const client = useTRPCClient();
  const mayWrite = useMay("workspaces:write");
  const [initial] = useState(() => (budget ? draftOf(budget) : newDraft));
  const [draft, setDraft] = useState(initial);
  const { errors, accepts } = useFieldErrors(fieldErrorsOf(BudgetCreate, createOf(draft)));
  const { creating, updating, finish } = useBudgetSaving(onClose);
  const preview = <PreviewPanel draft={draft} />;

  function submit(event: FormEvent<HTMLFormElement>) {
    if (!accepts(event)) return;
    if (budget) updating.mutate({ id: budget.id, ...changeOf(draft) });
    else creating.mutate(createOf(draft));
  }

  return (
    <Sheet
      title={budget ? budget.name : "Create a budget"}
      onClose={() => void onClose()}
      size="min(1080px, 100vw)"
    >
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <form method="post" onSubmit={submit} aria-label="Budget" noValidate>
          <Unsaved when={JSON.stringify(draft) !== JSON.stringify(initial)} />
          <Stack>
            <UnreadableAlert
              problem={budget?.problem}
              effect="While this budget is enabled, all requests of the organisation are refused. Disable or delete it, and create it again."
            />
            <ReadOnly when={!mayWrite}>
              <BudgetFields
                draft={draft}
                onChange={setDraft}
                stored={budget !== null}
                names={names}
                errors={errors}
              />
            </ReadOnly>
            <FormActions
              verb={mayWrite ? (budget ? "Save" : "Create") : null}
              error={creating.error ?? updating.error}
              pending={creating.isPending || updating.isPending}
              onCancel={() => void onClose()}
            >
              {budget && mayWrite && (
                <ConfirmButton
                  verb="Delete"
                  name={budget.name}
                  text="Requests are no longer limited by this budget within a second. What it has counted is deleted too. To keep that, disable the budget instead."
                  onConfirm={() => client.budgets.remove.mutate({ id: budget.id })}
                  onDone={() => finish(`${budget.name} is deleted.`)}
                />
              )}
            </FormActions>
          </Stack>
        </form>
        {budget ? (
          <Tabs defaultValue="use" keepMounted={false}>
            <Tabs.List mb="md">
              <Tabs.Tab value="use">Use</Tabs.Tab>
              <Tabs.Tab value="past">Preview</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="use">
              <CountersPanel budget={budget} nameOf={names.nameOf} />
            </Tabs.Panel>
            <Tabs.Panel value="past">{preview}</Tabs.Panel>
          </Tabs>
        ) : (
          preview
        )}
      </SimpleGrid>
    </Sheet>
  );
}
