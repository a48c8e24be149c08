"use client";

import { Button } from "@mantine/core";
import { download } from "#app/_lib/download.ts";
import { useNavigate } from "#app/_lib/navigate.ts";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { SaveButton } from "#app/_ui/save-button.tsx";
import { toastFailure } from "#app/_ui/toast.tsx";
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

/** Saves what is shown: the report as JSON, every request that it counts as CSV, and all with proofs as a package. */
export function SaveFlows({ filter, report, nowMs }: SaveFlowsProps) {
  const client = useTRPCClient();
  const navigate = useNavigate();
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
  const building = useMutation({
    mutationFn: () => client.evidencePackages.create.mutate(packageFilter(filter, nowMs)),
    onSuccess: ({ data }) => navigate(`/evidence/packages?open=${data.id}`),
    onError: toastFailure,
  });
  return (
    <>
      <Button size="xs" variant="default" loading={building.isPending} onClick={() => building.mutate()}>
        Build evidence package
      </Button>
      <SaveButton label="Download report" save={saveReport} />
      <SaveButton label="Download requests (CSV)" save={saveRequests} />
    </>
  );
}
