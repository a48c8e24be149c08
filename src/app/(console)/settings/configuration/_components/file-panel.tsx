"use client";

import { Button, Group, Stack } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { Panel } from "#app/_ui/panel.tsx";
import { part } from "#app/_ui/part.tsx";
import { FileFields } from "./file-fields.tsx";
import { PlanFailure } from "./plan-failure.tsx";

/** It is needed only when there is a plan. */
const PlanView = part(() => import("./plan-view.tsx").then(({ PlanView }) => PlanView));
const AppliedPanel = part(() => import("./applied-panel.tsx").then(({ AppliedPanel }) => AppliedPanel));

/** What a plan was made of, which is what is applied. */
export interface PlanRequest {
  readonly file: string;
  readonly prune: boolean;
  readonly secrets: Readonly<Record<string, string>>;
}

/** Compares a file with the current state, and applies it. */
export function FilePanel() {
  const client = useTRPCClient();
  const [file, setFile] = useState("");
  const [prune, setPrune] = useState(false);
  const plan = useMutation({
    mutationFn: async (request: PlanRequest) => ({
      request,
      plan: (await client.config.planFile.mutate(request)).data,
    }),
  });
  const applied = useMutation({
    mutationFn: async ({ digest, ...request }: PlanRequest & { readonly digest: string }) =>
      (await client.config.applyFile.mutate({ ...request, digest })).data,
  });

  function change(text: string) {
    setFile(text);
    plan.reset();
    applied.reset();
  }

  function changePrune(isWanted: boolean) {
    setPrune(isWanted);
    plan.reset();
    applied.reset();
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    applied.reset();
    plan.mutate({ file, prune, secrets: {} });
  }

  return (
    <>
      <Panel title="Compare and apply a file">
        <form method="post" onSubmit={submit} aria-label="Configuration file">
          <Stack gap="sm">
            <FileFields file={file} prune={prune} onFile={change} onPrune={changePrune} />
            <PlanFailure error={plan.error} />
            <Group>
              <Button
                type="submit"
                variant={plan.data ? "default" : "filled"}
                loading={plan.isPending}
                disabled={file.trim() === ""}
              >
                Show plan
              </Button>
            </Group>
          </Stack>
        </form>
      </Panel>
      {applied.data && <AppliedPanel applied={applied.data} />}
      {plan.data && !applied.data && (
        <PlanView
          {...plan.data}
          isPlanning={plan.isPending}
          onSecrets={(secrets) => plan.mutate({ ...plan.data.request, secrets })}
          onApply={(digest) => applied.mutateAsync({ ...plan.data.request, digest })}
        />
      )}
    </>
  );
}
