"use client";

import { Button, Checkbox, Group, Stack, TagsInput, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { formatCount } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { Facts } from "#app/_ui/facts.tsx";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { FormFailure } from "#app/_ui/form-failure.tsx";
import { Panel } from "#app/_ui/panel.tsx";
import { toastDone } from "#app/_ui/toast.tsx";
import { Unsaved } from "#app/_ui/unsaved.tsx";
import { type Tag, TagName, TagsUpdate } from "#contract/tag.ts";

const metadataPrefix = "metadata.";
const labelOf = (name: string): string =>
  name === "end_user" ? "End user" : name === "app" ? "App" : name.replace(metadataPrefix, "");

const countText = ({ values, values_max, other_requests }: Tag): string =>
  `${formatCount(values)} of ${formatCount(values_max)} values this month` +
  (other_requests > 0 ? `; ${formatCount(other_requests)} requests counted as “(other)”` : "");

/** What is wrong with the chosen tags. Only keys of metadata are typed, so the names of the others are right. */
function problemOf(chosen: readonly string[]): string | undefined {
  const wrong = chosen.find((name) => !TagName.safeParse(name).success);
  if (wrong !== undefined)
    return `“${labelOf(wrong)}” must have 1 to 64 letters, digits, underscores, dots or hyphens`;
  const message = TagsUpdate.safeParse({ tags: chosen }).error?.issues[0]?.message;
  return message && `The tags ${message}`;
}

/** Chooses the tags of the organisation. */
function TagsForm({ names }: { names: readonly string[] }) {
  const queryClient = useQueryClient();
  const [chosen, setChosen] = useState(names);
  const save = useMutation(
    useTRPC().tags.set.mutationOptions({
      onSuccess: async () => {
        await queryClient.invalidateQueries();
        await toastDone("The tags are saved.");
      },
    }),
  );
  const keys = chosen.filter((name) => name.startsWith(metadataPrefix));
  const problem = problemOf(chosen);
  const toggle = (name: string, isOn: boolean) =>
    setChosen(isOn ? [name, ...chosen] : chosen.filter((one) => one !== name));

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (problem === undefined) save.mutate({ tags: [...chosen] });
  }

  return (
    <form method="post" onSubmit={submit} aria-label="Tags">
      <Unsaved when={JSON.stringify(chosen) !== JSON.stringify(names)} />
      <Stack gap="sm">
        {["end_user", "app"].map((name) => (
          <Checkbox
            key={name}
            label={labelOf(name)}
            checked={chosen.includes(name)}
            onChange={(event) => toggle(name, event.currentTarget.checked)}
          />
        ))}
        <TagsInput
          label="Keys of metadata"
          description="Such as team or cost_centre. Press Enter after each."
          value={keys.map((name) => name.slice(metadataPrefix.length))}
          onChange={(typed) =>
            setChosen([
              ...chosen.filter((name) => !name.startsWith(metadataPrefix)),
              ...typed.map((key) => `${metadataPrefix}${key.trim()}`),
            ])
          }
          error={problem}
        />
        <FormFailure error={save.error} />
        <Group>
          <Button type="submit" variant="default" loading={save.isPending}>
            Save tags
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** What usage is grouped by besides keys, models and so on, and how many values there are. */
export function TagsPanel() {
  const tags = useQuery(useTRPC().tags.list.queryOptions({}));
  const mayWrite = useMay("workspaces:write");
  const list = tags.data?.data;
  return (
    <Panel title="Tags">
      {tags.isError && <FailureAlert error={tags.error} onRetry={() => void tags.refetch()} />}
      {list && (
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            Usage and costs can be grouped by these values of requests. They are stored with each request and
            in reports, so choose nothing that you may not store.
          </Text>
          {list.length > 0 && (
            <Facts label="Values of tags" rows={list.map((tag) => [labelOf(tag.name), countText(tag)])} />
          )}
          {list.length === 0 && !mayWrite && <Text size="sm">No tags are chosen.</Text>}
          {mayWrite && (
            <TagsForm key={list.map(({ name }) => name).join()} names={list.map(({ name }) => name)} />
          )}
        </Stack>
      )}
    </Panel>
  );
}
