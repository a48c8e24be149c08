"use client";

import { FileInput, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";

interface UpdateFormProps {
  readonly onCompared: (id: string) => void;
  readonly onClose: () => void;
}

/** Asks for a catalogue file or its address. Nothing changes until the differences were looked at. */
export function UpdateForm({ onCompared, onClose }: UpdateFormProps) {
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [url, setUrl] = useState("");
  const compare = useMutation({
    mutationFn: async () => {
      const given = file ? { document: await file.text(), name: file.name } : { url: url.trim() };
      return (await client.catalogueUpdates.create.mutate(given)).data;
    },
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries();
      onCompared(id);
    },
  });
  return (
    <Sheet title="Update catalogue" onClose={onClose}>
      <form
        method="post"
        aria-label="Catalogue file"
        onSubmit={(event) => {
          event.preventDefault();
          compare.mutate();
        }}
      >
        <Stack>
          <Text size="sm">
            A complete catalogue file replaces the shipped one. You see all differences before anything
            changes.
          </Text>
          <FileInput
            label="File"
            placeholder="Choose a JSON file"
            accept="application/json,.json"
            clearable
            // Mantine's own colour of placeholders has too little contrast on a dark button.
            styles={{ placeholder: { color: "var(--mantine-color-text)" } }}
            clearButtonProps={{ "aria-label": "Remove the file" }}
            value={file}
            onChange={setFile}
          />
          <TextInput
            label="Or an address"
            description="The server reads the file from there, by https"
            placeholder="https://example.eu/catalogue.json"
            disabled={file !== null}
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
            autoComplete="off"
          />
          <FormActions
            verb="Compare"
            error={compare.error}
            pending={compare.isPending}
            disabled={file === null && url.trim() === ""}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Sheet>
  );
}
