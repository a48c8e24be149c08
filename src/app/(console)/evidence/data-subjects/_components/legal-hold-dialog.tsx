import { NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { textIn } from "#app/_lib/key-limits.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { Dialog } from "#app/_ui/dialog.tsx";
import { Form } from "#app/_ui/form.tsx";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { NameField } from "#app/_ui/text-fields.tsx";
import { toastDone } from "#app/_ui/toast.tsx";
import { type ChosenSubject, isSubjectType, subjectChoices, subjectInput } from "./subject.ts";
import { SubjectValue } from "./subject-fields.tsx";

const everything = "all";

interface LegalHoldDialogProps {
  readonly onSet: () => void;
  readonly onClose: () => void;
}

/** Sets a legal hold. */
export function LegalHoldDialog({ onSet, onClose }: LegalHoldDialogProps) {
  const [subject, setSubject] = useState<ChosenSubject | null>({ type: "end_user", value: "", name: "" });
  const create = useMutation(
    useTRPC().legalHolds.create.mutationOptions({
      onSuccess: () => {
        onSet();
        onClose();
        return toastDone("The legal hold is in force.");
      },
    }),
  );
  return (
    <Dialog title="New legal hold" onClose={onClose}>
      <Form
        saved={create.data}
        onSubmit={(fields) => {
          const reference = textIn(fields, "reference");
          create.mutate({
            name: textIn(fields, "name"),
            ...(reference && { reference }),
            ...(subject && subjectInput(subject)),
          });
        }}
      >
        <Text size="sm" c="dimmed">
          Until you release it, erasures of this data are refused. Requests and stored prompts and answers are
          not deleted, even if they are older than the retention or expired.
        </Text>
        <NameField />
        <Stack gap="md">
          <NativeSelect
            label="Whose data"
            data={[...subjectChoices, { value: everything, label: "All data of the organisation" }]}
            value={subject?.type ?? everything}
            onChange={({ currentTarget: { value } }) =>
              setSubject(isSubjectType(value) ? { type: value, value: "", name: "" } : null)
            }
          />
          {subject && <SubjectValue subject={subject} onSubject={setSubject} />}
          <TextInput name="reference" label="Reference (optional)" maxLength={200} autoComplete="off" />
        </Stack>
        <FormActions
          verb="Set legal hold"
          error={create.error}
          pending={create.isPending}
          disabled={subject?.value === ""}
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  );
}
