import { NativeSelect, SimpleGrid, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import type { SubjectType } from "#contract/data-subjects.ts";
import { type ChosenSubject, isSubjectType, subjectChoices, subjectLabels } from "./subject.ts";

const rarely = { staleTime: 60_000 };

interface SubjectValueProps {
  readonly subject: ChosenSubject;
  readonly onSubject: (subject: ChosenSubject) => void;
}

/** Who it is: a person and a key are chosen, an end user is typed as requests name them. */
export function SubjectValue({ subject: { type, value }, onSubject }: SubjectValueProps) {
  const trpc = useTRPC();
  const members = useQuery(trpc.members.list.queryOptions({}, rarely));
  const keys = useQuery(trpc.keys.names.queryOptions({}, rarely));
  const choices: Record<Exclude<SubjectType, "end_user">, { value: string; label: string }[]> = {
    person: (members.data?.data ?? []).map(({ user_id, name }) => ({ value: user_id, label: name })),
    api_key: (keys.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
  };
  return type === "end_user" ? (
    <TextInput
      label={subjectLabels[type]}
      description="As in the field user of requests"
      value={value}
      maxLength={300}
      autoComplete="off"
      onChange={({ currentTarget: { value: typed } }) => onSubject({ type, value: typed, name: typed })}
    />
  ) : (
    <NativeSelect
      label={subjectLabels[type]}
      description={type === "person" ? "All requests with their keys" : "All requests with it"}
      data={[{ value: "", label: "Choose" }, ...choices[type]]}
      value={value}
      onChange={({ currentTarget: { value: chosen } }) => {
        const name = choices[type].find((one) => one.value === chosen)?.label ?? "";
        onSubject({ type, value: chosen, name });
      }}
    />
  );
}

interface SubjectFieldsProps extends SubjectValueProps {
  readonly reference: string;
  readonly onReference: (reference: string) => void;
}

/** Whose data it is, with the reference of the case. */
export function SubjectFields({ subject, reference, onSubject, onReference }: SubjectFieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }}>
      <NativeSelect
        label="Whose data"
        description="What is stored about them"
        data={subjectChoices}
        value={subject.type}
        onChange={({ currentTarget: { value: chosen } }) =>
          onSubject({ type: isSubjectType(chosen) ? chosen : "end_user", value: "", name: "" })
        }
      />
      <SubjectValue subject={subject} onSubject={onSubject} />
      <TextInput
        label="Reference (optional)"
        description="Such as a case number. Do not name the person."
        value={reference}
        maxLength={200}
        autoComplete="off"
        onChange={({ currentTarget: { value: typed } }) => onReference(typed)}
      />
    </SimpleGrid>
  );
}
