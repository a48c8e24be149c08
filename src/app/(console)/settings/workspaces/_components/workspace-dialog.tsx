"use client";

import { Textarea } from "@mantine/core";
import { useState } from "react";
import { limitBody, limitDraftOf, noLimit, textIn } from "#app/_lib/key-limits.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { Dialog } from "#app/_ui/dialog.tsx";
import { Form } from "#app/_ui/form.tsx";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { LimitFields } from "#app/_ui/limit-fields.tsx";
import { NameField } from "#app/_ui/text-fields.tsx";
import type { Workspace } from "#contract/workspace.ts";

interface WorkspaceDialogProps {
  /** The one to change; null for a new one. */
  readonly workspace: Workspace | null;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** Name, purpose and what all keys of a workspace may spend together. */
export function WorkspaceDialog({ workspace, onClose, onSaved }: WorkspaceDialogProps) {
  const trpc = useTRPC();
  const done = () => {
    onSaved();
    onClose();
  };
  const create = useMutation(trpc.workspaces.create.mutationOptions({ onSuccess: done }));
  const update = useMutation(trpc.workspaces.update.mutationOptions({ onSuccess: done }));
  const saving = workspace ? update : create;
  const [limit, setLimit] = useState(workspace ? limitDraftOf(workspace) : noLimit);

  function submit(fields: FormData) {
    const body = {
      name: textIn(fields, "name"),
      description: textIn(fields, "description") || null,
      ...limitBody(limit),
    };
    if (workspace) update.mutate({ id: workspace.id, ...body });
    else create.mutate(body);
  }

  return (
    <Dialog onClose={onClose} title={workspace ? `Edit ${workspace.name}` : "Create a workspace"}>
      <Form onSubmit={submit}>
        <NameField defaultValue={workspace?.name ?? ""} />
        <Textarea
          name="description"
          label="Description"
          maxLength={1000}
          autosize
          minRows={2}
          defaultValue={workspace?.description ?? ""}
        />
        <LimitFields
          value={limit}
          onChange={setLimit}
          description="Shared by all keys of the workspace. Leave empty for no limit."
        />
        <FormActions
          verb={workspace ? "Save" : "Create"}
          error={saving.error}
          pending={saving.isPending}
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  );
}
