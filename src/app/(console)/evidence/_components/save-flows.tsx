"use client";

import { download } from "#app/_lib/download.ts";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { SaveButton } from "#app/_ui/save-button.tsx";
import type { DataFlowFilter, DataFlowReport, DataFlowRequest } from "#contract/data-flows.ts";
import { packageFilter } from "./flow-filters.ts";

const pageRows = "1000";

/** `2026-11-03-2026-11-06`. */
const daysOf = ({ from, to }: DataFlowFilter): string => `${from.slice(0, 10)}-${to.slice(0, 10)}`;

interface SaveFlowsProps {
  readonly filter: DataFlowFilter;
  readonly report: DataFlowReport;
  readonly nowMs: number;
}

/** Saves what is shown: an archive for auditors, the report as JSON, and every request that it counts as CSV. */
export function SaveFlows({ filter, report, nowMs }: SaveFlowsProps) {
  const client = useTRPCClient();
  const saveReport = async () => {
    const text = `${JSON.stringify({ filter, ...report }, null, 2)}\n`;
    download(`data-flows-${daysOf(filter)}.json`, "application/json", text);
  };
  const saveRequests = async () => {
    const { csvOf } = await import("./flow-csv.ts");
    const requests: DataFlowRequest[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const page = await client.dataFlows.requests.query({
        ...filter,
        limit: pageRows,
        ...(after && { after }),
      });
      requests.push(...page.data);
      after = page.next;
    }
    download(`data-flows-${daysOf(filter)}.csv`, "text/csv", csvOf(requests));
  };
  const savePackage = async () => {
    const { content, file_name } = await client.dataFlows.package.query(packageFilter(filter, nowMs));
    const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
    download(file_name, "application/zip", bytes);
  };
  return (
    <>
      <SaveButton label="Evidence package" save={savePackage} />
      <SaveButton label="Download report" save={saveReport} />
      <SaveButton label="Download requests (CSV)" save={saveRequests} />
    </>
  );
}
