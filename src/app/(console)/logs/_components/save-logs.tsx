"use client";

import { Button, Menu } from "@mantine/core";
import { download } from "#app/_lib/download.ts";
import { formatCount } from "#app/_lib/format.ts";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { toastDone, toastFailure } from "#app/_ui/toast.tsx";
import type {
  GenerationCursor,
  GenerationFilter,
  GenerationLine,
  GenerationPage,
} from "#contract/generation.ts";

const pageRows = 1_000;
const rowsMax = 50_000;
type Format = "csv" | "json";

interface SaveLogsProps {
  readonly filter: GenerationFilter;
  readonly nameOfKey: (id: string) => string;
}

/** Saves every request that matches the filters, newest first, not only those of the page or of a sorted list. */
export function SaveLogs({ filter, nameOfKey }: SaveLogsProps) {
  const client = useTRPCClient();
  const save = async (format: Format) => {
    const lines: GenerationLine[] = [];
    let after: GenerationCursor | null = null;
    do {
      const page: GenerationPage = await client.generations.list.query({
        ...{ ...filter, limit: pageRows },
        ...(after && { after }),
      });
      lines.push(...page.data);
      after = page.next;
    } while (after !== null && lines.length < rowsMax);
    if (after !== null) await toastDone(`Only the newest ${formatCount(lines.length)} requests were saved.`);
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
