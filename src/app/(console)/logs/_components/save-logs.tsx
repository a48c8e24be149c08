"use client";

import { Button, Menu } from "@mantine/core";
import { download } from "#app/_lib/download.ts";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { toastDone, toastFailure } from "#app/_ui/toast.tsx";
import type { GenerationFilter, GenerationLine, GenerationSort } from "#contract/generation.ts";

const pageRows = 1_000;
const rowsMax = 50_000;
type Format = "csv" | "json";

interface SaveLogsProps {
  readonly filter: GenerationFilter;
  readonly sort: GenerationSort | undefined;
  readonly nameOfKey: (id: string) => string;
}

/** Saves every request that matches the filters, not only those of the page. */
export function SaveLogs({ filter, sort, nameOfKey }: SaveLogsProps) {
  const client = useTRPCClient();
  const save = async (format: Format) => {
    const lines: GenerationLine[] = [];
    let isMore = true;
    for (let after: GenerationLine | { started_at: string; id: string } | undefined; isMore; ) {
      const place = after && { started_at: after.started_at, id: after.id };
      const page = await client.generations.list.query({ ...filter, sort, limit: pageRows, after: place });
      lines.push(...page.data);
      after = page.next ?? undefined;
      isMore = after !== undefined && lines.length < rowsMax;
      if (!isMore && after)
        await toastDone(`Only the newest ${rowsMax.toLocaleString("en-GB")} requests were saved.`);
    }
    const text =
      format === "json"
        ? `${JSON.stringify(lines, null, 2)}\n`
        : (await import("./log-csv.ts")).csvOf(lines, nameOfKey);
    download(`requests.${format}`, format === "json" ? "application/json" : "text/csv", text);
  };
  const saving = useMutation({ mutationFn: save, onError: toastFailure });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="xs" variant="default" loading={saving.isPending}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => saving.mutate("csv")}>CSV</Menu.Item>
        <Menu.Item onClick={() => saving.mutate("json")}>JSON</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
