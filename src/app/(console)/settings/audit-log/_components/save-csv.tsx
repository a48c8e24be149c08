"use client";

import type { ListedEntry } from "#app/_lib/changed-fields.ts";
import { download } from "#app/_lib/download.ts";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { SaveButton } from "#app/_ui/save-button.tsx";
import type { AuditLogQuery } from "#contract/audit.ts";

export type AuditFilter = Pick<AuditLogQuery, "action" | "subject_id" | "actor_id" | "from">;

interface SaveCsvProps {
  /** What the list shows, without its page. */
  readonly filter: AuditFilter;
  readonly actorOf: (entry: ListedEntry) => string;
}

/** Saves every entry that the filters find, not only those of the page. */
export function SaveCsv({ filter, actorOf }: SaveCsvProps) {
  const client = useTRPCClient();
  const save = async () => {
    const { csvOf } = await import("./audit-csv.ts");
    // An entry that is added meanwhile moves the pages, so that some entries come twice.
    const entries = new Map<number, ListedEntry>();
    let offset = 0;
    for (let more = true; more; ) {
      const { data } = await client.audit.list.query({ ...filter, offset: String(offset) });
      for (const entry of data) entries.set(entry.position, entry);
      offset += data.length;
      more = data.length > 0;
    }
    download("audit-log.csv", "text/csv", csvOf([...entries.values()], actorOf));
  };
  return <SaveButton label="Download CSV" save={save} />;
}
