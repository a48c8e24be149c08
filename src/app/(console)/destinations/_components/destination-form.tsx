"use client";

import { Alert, Button, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { ConfirmButton } from "#app/_ui/confirm-button.tsx";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { ReadOnly } from "#app/_ui/read-only.tsx";
import { toastDone } from "#app/_ui/toast.tsx";
import { Unsaved } from "#app/_ui/unsaved.tsx";
import type { Destination, DestinationTest, DestinationType } from "#contract/destination.ts";
import { configOf, fieldsOf } from "./config-schema.ts";
import { DestinationFields } from "./destination-fields.tsx";
import { bodyOf, type Draft, draftOf, newDraft } from "./draft.ts";

interface DestinationFormProps {
  readonly type: DestinationType;
  /** Undefined for a new one. */
  readonly saved?: Destination | undefined;
  readonly onDone: () => void;
}

/** A destination being set up: what it needs, a try before it is saved, and saving. */
export function DestinationForm({ type, saved, onDone }: DestinationFormProps) {
  const { destinations } = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const fields = fieldsOf(type);
  const [initial] = useState<Draft>(saved ? draftOf(saved, fields) : newDraft(type.name, fields));
  const [draft, setDraft] = useState(initial);
  const changed = JSON.stringify(draft) !== JSON.stringify(initial);
  const mayWrite = useMay("broadcast:write");
  const done = async (message: string) => {
    await queryClient.invalidateQueries();
    onDone();
    await toastDone(message);
  };
  const create = useMutation(
    destinations.create.mutationOptions({ onSuccess: ({ data }) => done(`${data.name} is added.`) }),
  );
  const update = useMutation(
    destinations.update.mutationOptions({ onSuccess: ({ data }) => done(`${data.name} is saved.`) }),
  );
  const testNew = useMutation(destinations.testUnsaved.mutationOptions());
  const testSaved = useMutation(destinations.test.mutationOptions());
  const test = saved ? testSaved : testNew;
  const change = (next: Draft) => {
    setDraft(next);
    testNew.reset();
    testSaved.reset();
  };
  const edited = saved !== undefined && changed;

  function runTest() {
    if (saved) testSaved.mutate({ id: saved.id });
    else testNew.mutate({ type: type.type, config: configOf(fields, draft.typed), name: draft.name });
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const body = bodyOf(draft, fields, saved);
    if (saved) update.mutate({ id: saved.id, ...body });
    else create.mutate({ type: type.type, ...body });
  }

  return (
    <form method="post" onSubmit={submit} aria-label="Destination">
      <Unsaved when={changed} />
      <Stack>
        <ReadOnly when={!mayWrite}>
          <DestinationFields fields={fields} draft={draft} onChange={change} />
        </ReadOnly>
        {test.data && <TestResult result={test.data.data} />}
        <FormActions
          verb={mayWrite ? (saved ? "Save" : "Create") : null}
          error={create.error ?? update.error ?? test.error}
          pending={create.isPending || update.isPending}
        >
          {mayWrite && (
            <Button
              variant="default"
              onClick={runTest}
              loading={test.isPending}
              disabled={edited}
              title={edited ? "Save your changes before testing" : undefined}
            >
              Test
            </Button>
          )}
          {mayWrite && saved && (
            <ConfirmButton
              verb="Delete"
              name={saved.name}
              text="Traces are no longer sent. Pending deliveries and the delivery log are deleted."
              onConfirm={() => client.destinations.remove.mutate({ id: saved.id })}
              onDone={() => done(`${saved.name} is deleted.`)}
            />
          )}
        </FormActions>
      </Stack>
    </form>
  );
}

function TestResult({ result: { success, status, message } }: { result: DestinationTest }) {
  return (
    <Alert color={success ? "green" : "red"} role="status" title={success ? "Test succeeded" : "Test failed"}>
      {message}
      {status > 0 && ` (HTTP ${status})`}
    </Alert>
  );
}
