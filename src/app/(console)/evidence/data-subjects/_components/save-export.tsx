"use client";

import { download } from "#app/_lib/download.ts";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { SaveButton } from "#app/_ui/save-button.tsx";
import type { SubjectExport } from "#contract/data-subjects.ts";
import { type ChosenSubject, subjectInput } from "./subject.ts";

/** Saves everything that is stored about a subject as JSON. */
export function SaveExport({ subject }: { readonly subject: ChosenSubject }) {
  const client = useTRPCClient();
  const save = async () => {
    const requests: SubjectExport["data"] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const page: SubjectExport = await client.dataSubjects.export.mutate({
        ...subjectInput(subject),
        limit: 100,
        ...(after && { after }),
      });
      requests.push(...page.data);
      after = page.next;
    }
    const text = `${JSON.stringify({ ...subjectInput(subject), requests }, null, 2)}\n`;
    download("data-export.json", "application/json", text);
  };
  return <SaveButton label="Export" save={save} />;
}
