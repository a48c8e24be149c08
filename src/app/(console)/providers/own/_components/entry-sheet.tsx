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
import { EndpointFields } from "./endpoint-fields.tsx";
import { effectOf } from "./entry-columns.tsx";
import { ModelFields } from "./model-fields.tsx";
import { factsOf, withFacts } from "./provider-facts.ts";
import { StatedFacts } from "./stated-facts.tsx";

interface EntrySheetProps {
  readonly entry: CatalogueEntry;
  readonly mayEdit: boolean;
  readonly onClose: () => void;
}

const written = (fields: CatalogueEntry["entry"]): string => JSON.stringify(fields, null, 2);

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

/** The fields that are changed most often, by section. */
const sectionFields = { model: ModelFields, endpoint: EndpointFields } as const;

interface EntryFieldsProps {
  readonly entry: CatalogueEntry;
  /** The fields that the text has; undefined if it is no JSON object. */
  readonly entered: CatalogueEntry["entry"] | undefined;
  readonly text: string;
  readonly readOnly: boolean;
  readonly onChange: (text: string) => void;
}

/** What is changed most often as fields, and all fields as a catalogue file has them. */
function EntryFields({ entry, entered, text, readOnly, onChange }: EntryFieldsProps) {
  const Section = entry.section === "provider" ? null : sectionFields[entry.section];
  return (
    <>
      {entered && Section && (
        <Section fields={entered} readOnly={readOnly} onChange={(fields) => onChange(written(fields))} />
      )}
      {entered && entry.section === "provider" && (
        <StatedFacts
          facts={factsOf(entered)}
          unstated={entry.overrides === null ? "Not stated" : "As in the catalogue"}
          readOnly={readOnly}
          onChange={(change) => onChange(written(withFacts(entered, change)))}
        />
      )}
      <JsonInput
        label="All fields"
        description={`${effectOf(entry)}. The fields are those of a catalogue file.`}
        autosize
        minRows={6}
        maxRows={16}
        readOnly={readOnly}
        error={entered ? undefined : "Must be a JSON object"}
        value={text}
        onChange={onChange}
      />
    </>
  );
}

/** An entry of the catalogue being changed or deleted. */
export function EntrySheet({ entry, mayEdit, onClose }: EntrySheetProps) {
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const stored = written(entry.entry);
  const [fields, setFields] = useState(stored);
  const [source, setSource] = useState(entry.source ?? "");
  const entered = objectIn(fields);
  const isChanged = fields !== stored || source !== (entry.source ?? "");
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
          <EntryFields
            entry={entry}
            entered={entered}
            text={fields}
            readOnly={!mayEdit}
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
