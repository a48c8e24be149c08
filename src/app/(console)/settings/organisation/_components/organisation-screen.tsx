"use client";

import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { formatAbsolute } from "#app/_lib/format.ts";
import { textIn } from "#app/_lib/key-limits.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { CopyButton } from "#app/_ui/copy-button.tsx";
import { Facts } from "#app/_ui/facts.tsx";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { Form } from "#app/_ui/form.tsx";
import { FormFailure } from "#app/_ui/form-failure.tsx";
import { Panel } from "#app/_ui/panel.tsx";
import { part } from "#app/_ui/part.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { NameField } from "#app/_ui/text-fields.tsx";
import { toastDone } from "#app/_ui/toast.tsx";
import type { Organisation } from "#contract/organisation.ts";
import { RetentionPanel } from "./retention-panel.tsx";

/** It needs zod and an input that no other part of this page needs. */
const TagsPanel = part(() => import("./tags-panel.tsx").then(({ TagsPanel }) => TagsPanel));

function RenameForm({ name }: Pick<Organisation, "name">) {
  const queryClient = useQueryClient();
  const rename = useMutation(
    useTRPC().organisation.rename.mutationOptions({
      onSuccess: ({ name: given }) => toastDone(`The organisation is renamed to ${given}.`),
      onSettled: () => queryClient.invalidateQueries(),
    }),
  );

  function submit(fields: FormData) {
    rename.mutate({ name: textIn(fields, "name") });
  }

  return (
    <Form onSubmit={submit} saved={rename.data}>
      <Group align="flex-end" gap="xs">
        <NameField defaultValue={name} autoComplete="organization" style={{ flex: 1 }} />
        <Button type="submit" variant="default" loading={rename.isPending}>
          Rename
        </Button>
      </Group>
      <FormFailure error={rename.error} />
    </Form>
  );
}

export function OrganisationScreen() {
  const organisation = useQuery(useTRPC().organisation.get.queryOptions());
  const mayRename = useMay("members:write");
  const { data } = organisation;
  return (
    <Screen path="/settings/organisation">
      {" "}
      <Panel title="Organisation">
        {organisation.isError && (
          <FailureAlert error={organisation.error} onRetry={() => void organisation.refetch()} />
        )}
        {organisation.isPending && <Skeleton h={180} />}
        {data && (
          <Stack gap="md">
            {mayRename && <RenameForm name={data.name} />}
            <Facts
              label="Organisation"
              rows={[
                ["Name", mayRename ? null : data.name],
                ["Plan", data.plan.replaceAll("_", " ")],
                [
                  "ID",
                  <Group key="id" gap={4} wrap="nowrap">
                    <Text size="sm" style={{ overflowWrap: "anywhere" }}>
                      {data.id}
                    </Text>
                    <CopyButton value={data.id} label="Copy organisation ID" />
                  </Group>,
                ],
                ["Created", formatAbsolute(data.created_at)],
              ]}
            />
          </Stack>
        )}
      </Panel>
      <TagsPanel />
      <RetentionPanel />{" "}
    </Screen>
  );
}
