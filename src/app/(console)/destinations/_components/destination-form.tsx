"use client";

import { Button, Stack } from "@mantine/core";
import { useMay } from "#app/_lib/use-may.ts";
import { ConfirmButton } from "#app/_ui/confirm-button.tsx";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { ReadOnly } from "#app/_ui/read-only.tsx";
import { ResultAlert } from "#app/_ui/result-alert.tsx";
import { Unsaved } from "#app/_ui/unsaved.tsx";
import type { DestinationTest } from "#contract/destination.ts";
import { DestinationFields } from "./destination-fields.tsx";
import { type DestinationFormProps, useDestinationForm } from "./use-destination-form.ts";

/** A destination being set up or changed: its fields, a test and saving. */
export function DestinationForm(props: DestinationFormProps) {
  const { saved } = props;
  const form = useDestinationForm(props);
  const mayWrite = useMay("broadcast:write");
  const mustSaveFirst = saved !== undefined && form.isChanged;
  return (
    <form
      method="post"
      aria-label="Destination"
      onSubmit={(event) => {
        event.preventDefault();
        form.save.mutate();
      }}
    >
      <Unsaved when={form.isChanged} />
      <Stack>
        <ReadOnly when={!mayWrite}>
          <DestinationFields fields={form.fields} draft={form.draft} onChange={form.change} />
        </ReadOnly>
        {form.test.data && <TestResult key={form.test.submittedAt} result={form.test.data} />}
        <FormActions
          verb={mayWrite ? (saved ? "Save" : "Create") : null}
          error={form.save.error ?? form.test.error}
          pending={form.save.isPending}
        >
          {mayWrite && (
            <Button
              variant="default"
              onClick={() => form.test.mutate()}
              loading={form.test.isPending}
              disabled={mustSaveFirst}
              title={mustSaveFirst ? "Save your changes before testing" : undefined}
            >
              Test
            </Button>
          )}
          {mayWrite && saved && (
            <ConfirmButton
              verb="Delete"
              name={saved.name}
              text="Traces are no longer sent. Pending deliveries and the delivery log are deleted."
              onConfirm={() => form.remove(saved.id)}
              onDone={() => form.done(`${saved.name} is deleted.`)}
            />
          )}
        </FormActions>
      </Stack>
    </form>
  );
}

function TestResult({ result: { success, status, message } }: { result: DestinationTest }) {
  return (
    <ResultAlert tone={success ? "good" : "bad"} title={success ? "Test succeeded" : "Test failed"}>
      {message}
      {status > 0 && ` (HTTP ${status})`}
    </ResultAlert>
  );
}
