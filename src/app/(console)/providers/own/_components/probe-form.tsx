"use client";

import { PasswordInput, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { fieldErrorsOf } from "#app/_lib/field-errors.ts";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { useFieldErrors } from "#app/_lib/use-field-errors.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { ResultAlert } from "#app/_ui/result-alert.tsx";
import { type ProviderProbe, ProviderProbeRequest } from "#contract/provider-probe.ts";

interface ProbeFormProps {
  readonly onFound: (probe: ProviderProbe, key: string) => void;
}

/** The first step: where the server is, and what it answers. */
export function ProbeForm({ onFound }: ProbeFormProps) {
  const client = useTRPCClient();
  const [base_url, setUrl] = useState("");
  const [key, setKey] = useState("");
  const probe = useMutation({
    mutationFn: async () =>
      (await client.catalogueEntries.probe.mutate({ base_url, ...(key !== "" && { key }) })).data,
    onSuccess: (found) => {
      if (found.success) onFound(found, key);
    },
  });
  const { errors, accepts } = useFieldErrors(fieldErrorsOf(ProviderProbeRequest, { base_url }));
  const failed = probe.data && !probe.data.success ? probe.data : null;
  return (
    <form
      method="post"
      aria-label="Server"
      onSubmit={(event) => {
        if (accepts(event)) probe.mutate();
      }}
    >
      <Stack>
        <TextInput
          label="Base URL"
          description="The address of vLLM, Ollama, llama.cpp or another server with OpenAI's API"
          placeholder="http://gpu-1.internal:8000/v1"
          required
          data-autofocus
          error={errors.base_url}
          value={base_url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          autoComplete="off"
        />
        <PasswordInput
          label="Credential"
          description="Leave empty if the server needs none"
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
          autoComplete="off"
        />
        {failed && (
          <ResultAlert
            key={probe.submittedAt}
            tone="bad"
            title={failed.setting === null ? "No models found" : "The address is not allowed"}
          >
            {failed.message}
          </ResultAlert>
        )}
        <FormActions verb="Find models" error={probe.error} pending={probe.isPending} />
      </Stack>
    </form>
  );
}
