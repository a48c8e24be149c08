"use client";

import { download } from "#app/_lib/download.ts";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { SaveButton } from "#app/_ui/save-button.tsx";

/** Saves the proof that an entry is in the transparency log, which `verify.mjs` verifies offline. */
export function SaveProof({ position }: { readonly position: number }) {
  const client = useTRPCClient();
  const save = async () => {
    const proof = await client.audit.proof.query({ position: String(position) });
    download(`audit-entry-${position}.json`, "application/json", `${JSON.stringify(proof, null, 2)}\n`);
  };
  return <SaveButton label="Download proof" save={save} />;
}
