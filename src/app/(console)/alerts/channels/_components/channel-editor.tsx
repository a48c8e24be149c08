"use client";

import { Button, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useFieldErrors } from "#app/_lib/use-field-errors.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { ConfirmButton } from "#app/_ui/confirm-button.tsx";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { ReadOnly } from "#app/_ui/read-only.tsx";
import { ResultAlert } from "#app/_ui/result-alert.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import { toastDone } from "#app/_ui/toast.tsx";
import { UnreadableAlert } from "#app/_ui/unreadable-alert.tsx";
import { Unsaved } from "#app/_ui/unsaved.tsx";
import type { AlertChannel, AlertChannelTest } from "#contract/alert-channel.ts";
import { changeOf, createOf, draftOf, errorsOf, newDraft } from "./channel-draft.ts";
import { ChannelFields } from "./channel-fields.tsx";
import { Paused, Unconfirmed } from "./channel-notices.tsx";

interface ChannelEditorProps {
  /** Null for a new one. */
  readonly channel: AlertChannel | null;
  /** Resolves once nothing of the editor is shown or asks any more. */
  readonly onClose: () => Promise<unknown>;
}

/** What happens next with an address that nobody has confirmed. */
const askedText = ({ confirmation, confirmation_expires_at, target }: AlertChannel): string =>
  confirmation === "pending" && confirmation_expires_at !== null
    ? ` A mail asks ${target} for a confirmation.`
    : "";

/** Saves and tests a channel. */
function useChannelActions(close: () => Promise<unknown>) {
  const { create, update, test, list } = useTRPC().alertChannels;
  const queryClient = useQueryClient();
  const finish = async (message: string) => {
    await close();
    await queryClient.invalidateQueries();
    await toastDone(message);
  };
  const creating = useMutation(
    create.mutationOptions({ onSuccess: ({ data }) => finish(`${data.name} is added.${askedText(data)}`) }),
  );
  const updating = useMutation(
    update.mutationOptions({ onSuccess: ({ data }) => finish(`${data.name} is saved.`) }),
  );
  // A test that is accepted ends a pause.
  const testing = useMutation(
    test.mutationOptions({ onSettled: () => queryClient.invalidateQueries({ queryKey: list.queryKey() }) }),
  );
  return { creating, updating, testing, finish };
}

/** A channel being made, changed or tested. */
export function ChannelEditor({ channel, onClose }: ChannelEditorProps) {
  const client = useTRPCClient();
  const mayWrite = useMay("alerts:write");
  const [initial] = useState(() => (channel ? draftOf(channel) : newDraft));
  const [draft, setDraft] = useState(initial);
  const { errors, accepts } = useFieldErrors(errorsOf(draft, channel));
  const { creating, updating, testing, finish } = useChannelActions(onClose);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(initial);

  function submit(event: FormEvent<HTMLFormElement>) {
    if (!accepts(event)) return;
    if (channel) updating.mutate({ id: channel.id, ...changeOf(draft, channel) });
    else creating.mutate(createOf(draft));
  }

  return (
    <Sheet title={channel ? channel.name : "Add a channel"} onClose={() => void onClose()}>
      <form method="post" onSubmit={submit} aria-label="Channel" noValidate>
        <Unsaved when={isChanged} />
        <Stack>
          <UnreadableAlert
            problem={channel?.problem}
            effect="Nothing is sent to it. Delete it and create it again."
          />
          {channel?.confirmation === "pending" && <Unconfirmed channel={channel} mayAsk={mayWrite} />}
          {channel?.paused && <Paused pause={channel.paused} mayTest={mayWrite} />}
          <ReadOnly when={!mayWrite}>
            <ChannelFields draft={draft} onChange={setDraft} stored={channel} errors={errors} />
          </ReadOnly>
          {testing.data && <TestResult key={testing.submittedAt} result={testing.data.data} />}
          <FormActions
            verb={mayWrite ? (channel ? "Save" : "Add") : null}
            error={creating.error ?? updating.error ?? testing.error}
            pending={creating.isPending || updating.isPending}
            onCancel={() => void onClose()}
          >
            {channel && mayWrite && (
              <Button
                variant="default"
                onClick={() => testing.mutate({ id: channel.id })}
                loading={testing.isPending}
                disabled={isChanged || channel.confirmation === "pending"}
                title={isChanged ? "Save your changes before testing" : undefined}
              >
                Send a test
              </Button>
            )}
            {channel && mayWrite && (
              <ConfirmButton
                verb="Delete"
                name={channel.name}
                text="The history of its notifications is deleted too. A channel that a rule uses cannot be deleted."
                onConfirm={() => client.alertChannels.remove.mutate({ id: channel.id })}
                onDone={() => finish(`${channel.name} is deleted.`)}
              />
            )}
          </FormActions>
        </Stack>
      </form>
    </Sheet>
  );
}

function TestResult({ result: { success, message } }: { result: AlertChannelTest }) {
  return (
    <ResultAlert tone={success ? "good" : "bad"} title={success ? "Test succeeded" : "Test failed"}>
      {message}
    </ResultAlert>
  );
}
