"use client";

import { download } from "../_lib/download.ts";
import { useTRPCClient } from "../_lib/trpc.ts";
import { SaveButton } from "./save-button.tsx";

/** Saves the newest checkpoint, if possible one that witnesses signed. Later states are compared with it. */
export function SaveCheckpoint() {
  const client = useTRPCClient();
  const save = async () => {
    const { checkpoint, cosigned_checkpoint: cosigned } = await client.transparencyLog.get.query();
    const text = cosigned ?? checkpoint;
    download(`checkpoint-${text.split("\n")[1]}.txt`, "text/plain", text);
  };
  return <SaveButton label="Download checkpoint" save={save} />;
}
