"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import Link from "next/link";
import { useState } from "react";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { FormFailure } from "#app/_ui/form-failure.tsx";
import { ConfirmByName } from "#app/_ui/lazy.tsx";
import { Panel } from "#app/_ui/panel.tsx";
import { toastDone } from "#app/_ui/toast.tsx";
import { SaveExport } from "./save-export.tsx";
import { type ChosenSubject, flowsPath, subjectInput } from "./subject.ts";
import { SubjectFields } from "./subject-fields.tsx";

const nobody: ChosenSubject = { type: "end_user", value: "", name: "" };

interface SubjectPanelProps {
  /** Gets the ID of the dry run or erasure that was started. */
  readonly onStarted: (id: string) => void;
}

/** What can be done with the data of one person: look where it went, export it, count it, erase it. */
export function SubjectPanel({ onStarted }: SubjectPanelProps) {
  const { erasures } = useTRPCClient();
  const [subject, setSubject] = useState(nobody);
  const [reference, setReference] = useState("");
  const [isErasing, setErasing] = useState(false);
  const asked = { ...subjectInput(subject), ...(reference.trim() && { reference: reference.trim() }) };
  const dryRun = useMutation(
    useTRPC().erasures.create.mutationOptions({ onSuccess: ({ data }) => onStarted(data.id) }),
  );
  const isChosen = subject.value !== "";
  return (
    <Panel title="Data of a person">
      <Stack gap="md">
        <SubjectFields
          subject={subject}
          reference={reference}
          onSubject={(chosen) => {
            dryRun.reset();
            setSubject(chosen);
          }}
          onReference={setReference}
        />
        <FormFailure error={dryRun.error} />
        <Group gap="xs">
          <Button
            size="xs"
            disabled={!isChosen}
            loading={dryRun.isPending}
            onClick={() => dryRun.mutate({ ...asked, dry_run: true })}
          >
            Dry run
          </Button>
          {isChosen && (
            <>
              <SaveExport subject={subject} />
              <Button size="xs" variant="default" component={Link} href={flowsPath(subject)}>
                Where it went
              </Button>
            </>
          )}
          <Button size="xs" variant="default" disabled={!isChosen} onClick={() => setErasing(true)}>
            Erase
          </Button>
        </Group>
        <Text size="sm" c="dimmed">
          A dry run counts what an erasure would delete. An export contains records of requests, and prompts
          and answers that were stored; it is recorded in the audit log.
        </Text>
      </Stack>
      {isErasing && (
        <ConfirmByName
          verb="Erase"
          name={subject.name}
          text="Stored prompts and answers, waiting traces, and what records of requests say of persons are erased permanently. Amounts and receipts stay valid. Destinations keep what they have received."
          onConfirm={async () => {
            const { data } = await erasures.create.mutate({ ...asked, dry_run: false });
            onStarted(data.id);
          }}
          onDone={() => {
            setErasing(false);
            return toastDone("The erasure has begun.");
          }}
          onClose={() => setErasing(false)}
        />
      )}
    </Panel>
  );
}
