"use client";

import { Group, NativeSelect, SegmentedControl, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { formatCount } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { groupingOf, groupNames, groups, tagGroup, tagLabel } from "./groups.ts";

interface GroupChoiceProps {
  /** As in the URL. */
  readonly by: string;
  readonly onChange: (by: string) => void;
}

const groupChoices = groupNames.map((value) => ({ value, label: groups[value].label }));

/** What usage is grouped by: what every organisation has, or one of its tags. */
export function GroupChoice({ by, onChange }: GroupChoiceProps) {
  const tags = useQuery(useTRPC().tags.list.queryOptions({}, { staleTime: 60_000 }));
  const { group, tag } = groupingOf(by);
  const known = tags.data?.data ?? [];
  const chosen = known.find(({ name }) => name === tag);
  // A tag that is not chosen any more, but is in the URL: what it counted can still be read.
  const names = [...new Set([...known.map(({ name }) => name), ...(tag === undefined ? [] : [tag])])];
  return (
    <Group gap="xs">
      <SegmentedControl
        size="xs"
        aria-label="By"
        data={groupChoices}
        value={tag === undefined ? group : ""}
        onChange={onChange}
      />
      {names.length > 0 && (
        <NativeSelect
          size="xs"
          aria-label="By tag"
          value={tag === undefined ? "" : tagGroup(tag)}
          onChange={(event) => onChange(event.currentTarget.value || "model")}
          data={[
            { value: "", label: "By tag…" },
            ...names.map((name) => ({ value: tagGroup(name), label: tagLabel(name) })),
          ]}
        />
      )}
      {chosen && chosen.other_requests > 0 && (
        <Text size="xs" c="dimmed" role="status">
          {formatCount(chosen.other_requests)} requests of this month are “(other)”: a tag has{" "}
          {formatCount(chosen.values_max)} values per month at most.
        </Text>
      )}
    </Group>
  );
}
