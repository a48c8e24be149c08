import { formatAbsolute, formatShare } from "#app/_lib/format.ts";
import type { Tone } from "#app/_ui/status.tsx";
import type { DataFlowFilter } from "#contract/data-flows.ts";
import type { EvidencePackage } from "#contract/evidence-package.ts";

export const statusTones: Record<EvidencePackage["status"], Tone> = {
  waiting: "neutral",
  running: "neutral",
  ready: "good",
  failed: "bad",
};

/** How much of the period is read: 0 to 1. */
function shareRead({ filter: { from, to }, read_until }: EvidencePackage): number {
  if (read_until === null) return 0;
  const [fromMs, toMs, readMs] = [Date.parse(from), Date.parse(to), Date.parse(read_until)];
  return toMs > fromMs ? Math.min(1, (readMs - fromMs) / (toMs - fromMs)) : 1;
}

export const statusText = (row: EvidencePackage): string =>
  row.status === "running" ? `running, ${formatShare(shareRead(row))}` : row.status;

export const isUnderWay = ({ status }: EvidencePackage): boolean =>
  status === "waiting" || status === "running";

export const periodText = ({ from, to }: DataFlowFilter): string =>
  `${formatAbsolute(from)} to ${formatAbsolute(to)}`;

/** Where the console downloads the archive of a package. */
export const fileAddress = (id: string): string => `/api/evidence-packages/${id}`;

type FilterName = Exclude<keyof DataFlowFilter, "from" | "to">;

const filterLabels: Record<FilterName, string> = {
  provider: "Provider",
  endpoint: "Endpoint",
  area: "Place",
  country: "Country code",
  facts_hash: "SHA-256 of facts",
  api_key_id: "Key",
  workspace_id: "Workspace",
  rule_id: "Routing rule",
  user_id: "Person",
  end_user: "End user",
  destination_id: "Destination",
};

/** The filters of a package, with their names. `nameOf` returns the name of a person or key. */
export const filterFacts = (
  filter: DataFlowFilter,
  nameOf: (id: string) => string,
): (readonly [label: string, value: string])[] =>
  Object.entries(filterLabels).flatMap(([name, label]) => {
    const value = filter[name as FilterName];
    if (value === undefined) return [];
    return [[label, name === "api_key_id" || name === "user_id" ? nameOf(value) : value]];
  });
