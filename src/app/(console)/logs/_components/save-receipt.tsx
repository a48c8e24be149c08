"use client";

import { download } from "#app/_lib/download.ts";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { SaveButton } from "#app/_ui/save-button.tsx";

/** Saves the receipt of a request with the proof that it is in the transparency log; `verify.mjs` verifies it offline. */
export function SaveReceipt({ id }: { readonly id: string }) {
  const client = useTRPCClient();
  const save = async () => {
    const receipt = await client.generations.receipt.query({ id });
    download(`receipt-${id}.json`, "application/json", `${JSON.stringify(receipt, null, 2)}\n`);
  };
  return <SaveButton label="Download receipt" save={save} />;
}
