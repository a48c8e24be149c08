"use client";

import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";

/** Where an organisation replaces facts of a provider, or changes those that it has replaced or added. */
export function OverrideLink({ provider }: { provider: string }) {
  const mayEdit = useMay("byok:write");
  const list = useTRPC().catalogueEntries.list;
  const query = { section: "provider", provider, limit: "1" } as const;
  const entries = useQuery(list.queryOptions(query, { enabled: mayEdit }));
  if (!mayEdit || !entries.data) return null;
  const [entry] = entries.data.data;
  return (
    <Group>
      <Button
        component={Link}
        size="xs"
        variant="default"
        href={entry ? `/providers/own?open=${entry.id}` : `/providers/own?override=${provider}`}
      >
        {entry?.overrides === null ? "Edit provider" : entry ? "Edit overrides" : "Override facts"}
      </Button>
    </Group>
  );
}
