"use client";

import { Alert, JsonInput, Stack, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { ConfirmButton } from "#app/_ui/confirm-button.tsx";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import { toastDone } from "#app/_ui/toast.tsx";
import { Unsaved } from "#app/_ui/unsaved.tsx";
import { CatalogueEntry } from "#contract/catalogue-entry.ts";
import { effectOf } from "./entry-columns.tsx";

interface EntrySheetProps {
  readonly entry: CatalogueEntry;
  readonly mayEdit: boolean;
  readonly onClose: () => void;
}

/** The object that a text is; undefined if it is none. */
function objectIn(text: string): CatalogueEntry["entry"] | undefined {
  try {
    return CatalogueEntry.shape.entry.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const deletionText = ({ overrides, section }: CatalogueEntry): string => {
  if (overrides !== null) return "The facts that it replaced apply again at once.";
  return section === "provider"
    ? "Its endpoints are deleted too. Requests stop using it at once."
    : "Requests stop using it at once.";
};

/** Why an entry is not used. */
const Unused = ({ problem }: Pick<CatalogueEntry, "problem">) =>
  problem === null ? null : (
    <Alert variant="default" title="Not used">
      {problem}
    </Alert>
  );

/** The fields of an entry, as a catalogue file has them. */
export function EntrySheet({ entry, mayEdit, onClose }: EntrySheetProps) {
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const written = JSON.stringify(entry.entry, null, 2);
  const [fields, setFields] = useState(written);
  const [source, setSource] = useState(entry.source ?? "");
  const entered = objectIn(fields);
  const isChanged = fields !== written || source !== (entry.source ?? "");
  const done = async (message: string) => {
    onClose();
    await queryClient.invalidateQueries();
    await toastDone(message);
  };
  const save = useMutation({
    mutationFn: () =>
      client.catalogueEntries.update.mutate({
        id: entry.id,
        ...(entered && { entry: entered }),
        source: source.trim() || null,
      }),
    onSuccess: () => done(`${entry.name} is saved.`),
  });
  return (
    <Sheet title={entry.name} onClose={onClose}>
      <form
        method="post"
        aria-label="Catalogue entry"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Unsaved when={isChanged && !save.isSuccess} />
        <Stack>
          <Unused problem={entry.problem} />
          <JsonInput
            label="Fields"
            description={`${effectOf(entry)}. The fields are those of a catalogue file.`}
            autosize
            minRows={6}
            maxRows={24}
            readOnly={!mayEdit}
            error={entered ? undefined : "Must be a JSON object, such as the one that was here"}
            value={fields}
            onChange={setFields}
          />
          <TextInput
            label="Source"
            description="Where the facts and prices come from"
            maxLength={300}
            readOnly={!mayEdit}
            value={source}
            onChange={(event) => setSource(event.currentTarget.value)}
            autoComplete="off"
          />
          <FormActions
            verb={mayEdit ? "Save" : null}
            error={save.error}
            pending={save.isPending}
            disabled={!entered || !isChanged}
            onCancel={onClose}
          >
            {mayEdit && (
              <ConfirmButton
                verb={entry.overrides === null ? "Delete" : "Restore"}
                name={entry.name}
                text={deletionText(entry)}
                onConfirm={() => client.catalogueEntries.remove.mutate({ id: entry.id })}
                onDone={() => done(`${entry.name} is ${entry.overrides === null ? "deleted" : "restored"}.`)}
              />
            )}
          </FormActions>
        </Stack>
      </form>
    </Sheet>
  );
}
