"use client";

import { Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { formatEur } from "#app/_lib/format.ts";
import { textIn } from "#app/_lib/key-limits.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { Dialog } from "#app/_ui/dialog.tsx";
import { Form } from "#app/_ui/form.tsx";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { EuroField } from "#app/_ui/text-fields.tsx";
import { toastDone } from "#app/_ui/toast.tsx";

/** Grants the organisation credit. The ledger stores it permanently, so a reason is required. */
export function GrantDialog({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
  const grant = useMutation(
    useTRPC().identity.grantCredits.mutationOptions({
      onSuccess: async ({ data }) => {
        onClose();
        await toastDone(`${formatEur(data.amount)} granted. ${formatEur(data.balance)} available.`);
      },
      onSettled: () => queryClient.invalidateQueries(),
    }),
  );

  function submit(fields: FormData) {
    grant.mutate({ amount: Number(textIn(fields, "amount")), reason: textIn(fields, "reason") });
  }

  return (
    <Dialog onClose={onClose} title="Grant credit">
      <Form onSubmit={submit}>
        <EuroField name="amount" label="Amount in euros" required withAsterisk={false} />
        <TextInput
          name="reason"
          label="Reason"
          description="Shown in the ledger and the audit log"
          maxLength={500}
          required
          withAsterisk={false}
          autoComplete="off"
        />
        <Text size="sm" c="dimmed">
          Grants cannot be undone, only corrected by another entry.
        </Text>
        <FormActions verb="Grant" error={grant.error} pending={grant.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
