"use client";

import { Button, Stack } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { type FormEvent, useState } from "react";
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
import type { AlertRule } from "#contract/alert-rule.ts";
import { changeOf, createOf, draftOf, errorsOf, newDraft } from "./draft.ts";
import { RuleFields } from "./rule-fields.tsx";

interface RuleEditorProps {
  /** Null for a new one. */
  readonly rule: AlertRule | null;
  /** Resolves once nothing of the editor is shown or asks any more. */
  readonly onClose: () => Promise<unknown>;
}

/** Saves a rule and closes the editor. */
function useRuleSaving(close: () => Promise<unknown>) {
  const { create, update } = useTRPC().alertRules;
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

/** An alert rule being made or changed. */
export function RuleEditor({ rule, onClose }: RuleEditorProps) {
  const client = useTRPCClient();
  const mayWrite = useMay("alerts:write");
  const channels = useQuery(useTRPC().alertChannels.list.queryOptions({}));
  const [initial] = useState(() => (rule ? draftOf(rule) : newDraft));
  const [draft, setDraft] = useState(initial);
  const { errors, accepts } = useFieldErrors(errorsOf(draft));
  const { creating, updating, finish } = useRuleSaving(onClose);

  function submit(event: FormEvent<HTMLFormElement>) {
    if (!accepts(event)) return;
    if (rule) updating.mutate({ id: rule.id, ...changeOf(draft) });
    else creating.mutate(createOf(draft));
  }

  return (
    <Sheet title={rule ? rule.name : "Create an alert rule"} onClose={() => void onClose()}>
      <form method="post" onSubmit={submit} aria-label="Alert rule" noValidate>
        <Unsaved when={JSON.stringify(draft) !== JSON.stringify(initial)} />
        <Stack>
          <UnreadableAlert
            problem={rule?.problem}
            effect="The rule is not evaluated. Correct its settings, or delete it and create it again."
          />
          <ReadOnly when={!mayWrite}>
            <RuleFields
              draft={draft}
              onChange={setDraft}
              stored={rule !== null}
              channels={channels.data?.data ?? []}
              errors={errors}
            />
          </ReadOnly>
          <FormActions
            verb={mayWrite ? (rule ? "Save" : "Create") : null}
            error={creating.error ?? updating.error}
            pending={creating.isPending || updating.isPending}
            onCancel={() => void onClose()}
          >
            {rule && (
              <Button component={Link} variant="default" href={`/alerts/incidents?rule=${rule.id}`}>
                Incidents
              </Button>
            )}
            {rule && mayWrite && (
              <ConfirmButton
                verb="Delete"
                name={rule.name}
                text="Open incidents are resolved. The channels that were notified get a message that the alert ended. Its incidents stay in the history."
                onConfirm={() => client.alertRules.remove.mutate({ id: rule.id })}
                onDone={() => finish(`${rule.name} is deleted.`)}
              />
            )}
          </FormActions>
        </Stack>
      </form>
    </Sheet>
  );
}
