"use client";

import { Anchor, Button, PasswordInput, SimpleGrid, Stack, Text, Textarea, TextInput } from "@mantine/core";
import Link from "next/link";
import { useState } from "react";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { CodeBlock } from "#app/_ui/code-block.tsx";
import { FormFailure } from "#app/_ui/form-failure.tsx";
import { ResultAlert } from "#app/_ui/result-alert.tsx";
import type { Entry, Parameter } from "./document.ts";
import { typeText } from "./schema.ts";
import { useTryKey } from "./try-key.ts";
import {
  fieldOf,
  initialValues,
  type Problems,
  problemsOf,
  requestOf,
  send,
  type TryAnswer,
} from "./try-request.ts";

const monospace = { input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 13 } };

interface ValuesProps {
  readonly parameters: readonly Parameter[];
  readonly values: Readonly<Record<string, string>>;
  readonly problems: Problems;
  readonly onChange: (values: Readonly<Record<string, string>>) => void;
}

const Values = ({ parameters, values, problems, onChange }: ValuesProps) => (
  <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
    {parameters.map((parameter) => {
      const field = fieldOf(parameter);
      return (
        <TextInput
          key={field}
          size="xs"
          label={parameter.name}
          withAsterisk={parameter.required}
          placeholder={typeText(parameter.schema ?? {})}
          value={values[field] ?? ""}
          error={problems[field]}
          onChange={({ currentTarget: { value } }) => onChange({ ...values, [field]: value })}
          autoComplete="off"
        />
      );
    })}
  </SimpleGrid>
);

function KeyField() {
  const [key, setKey] = useTryKey();
  return (
    <PasswordInput
      size="xs"
      label="API key"
      description={
        <>
          Used by every “Try it” of this page until you leave it, and not stored.{" "}
          <Anchor component={Link} href="/keys?create=true" inherit>
            Create a key
          </Anchor>
        </>
      }
      value={key}
      onChange={({ currentTarget }) => setKey(currentTarget.value.trim())}
      autoComplete="off"
      visibilityToggleButtonProps={{ "aria-label": "Show or hide the API key" }}
    />
  );
}

function AnswerView({ answer: { status, requestId, text }, title }: { answer: TryAnswer; title: string }) {
  return (
    <>
      <ResultAlert tone={status < 400 ? "good" : "bad"} title={`HTTP ${status}`}>
        {requestId && `Request ID ${requestId}`}
      </ResultAlert>
      {text !== "" && <CodeBlock label={`answer of ${title}`} code={text} />}
    </>
  );
}

export interface TryFormProps {
  readonly entry: Entry;
  readonly base: string;
  readonly withKey: boolean;
  /** Example of the body; undefined for an operation without a body. */
  readonly example: unknown;
}

/** What a request to an operation needs, and what came back. */
export function TryForm({ entry, base, withKey, example }: TryFormProps) {
  const { method, operation, id } = entry;
  const parameters = operation.parameters ?? [];
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() => initialValues(parameters));
  const [body, setBody] = useState(example === undefined ? null : JSON.stringify(example, null, 2));
  const [problems, setProblems] = useState<Problems>({});
  const [key] = useTryKey();
  const typed = { values, body, key: withKey ? key : "" };
  const sending = useMutation({ mutationFn: () => send(requestOf(base, entry, typed)) });

  function submit() {
    const found = problemsOf(entry, typed);
    setProblems(found);
    if (Object.keys(found).length === 0) sending.mutate();
  }

  return (
    <form
      method="post"
      aria-label={`Try ${operation.summary ?? id}`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="sm">
        {withKey && <KeyField />}
        {parameters.length > 0 && (
          <Values parameters={parameters} values={values} problems={problems} onChange={setValues} />
        )}
        {body !== null && (
          <Textarea
            size="xs"
            label="Body"
            autosize
            minRows={3}
            maxRows={18}
            spellCheck={false}
            styles={monospace}
            value={body}
            error={problems.body}
            onChange={({ currentTarget: { value } }) => setBody(value)}
          />
        )}
        <Text size="xs" c="dimmed">
          {method === "GET" ? "Reads only." : "This is a real request: what it changes or costs is real."}
        </Text>
        <Button type="submit" size="xs" loading={sending.isPending} style={{ alignSelf: "start" }}>
          Send request
        </Button>
        <FormFailure error={sending.error} />
        {sending.data && (
          <AnswerView key={sending.submittedAt} answer={sending.data} title={operation.summary ?? id} />
        )}
      </Stack>
    </form>
  );
}
