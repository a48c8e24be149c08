"use client";

import { Button, Text } from "@mantine/core";
import { failureOf } from "#app/_lib/failure.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { clearUrlSecret, useUrlSecret } from "#app/_lib/url-secret.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { AuthFrame } from "#app/(auth)/_components/auth-frame.tsx";

const secretName = "portolan-alert-confirmation";

/** Where the link of a confirmation mail leads. Only its button confirms, so programs that open links do not. */
export function ConfirmAlerts() {
  const token = useUrlSecret(secretName);
  const onSettled = () => clearUrlSecret(secretName);
  const confirm = useMutation(useTRPC().alertChannels.confirm.mutationOptions({ onSettled }));
  const confirmed = confirm.data?.data;
  const problem = confirm.isError ? failureOf(confirm.error).message : null;
  if (confirmed)
    return (
      <AuthFrame title="Address confirmed">
        <Text size="sm" role="status">
          {confirmed.address} gets alerts of {confirmed.organisation} from now on. You can close this page.
        </Text>
      </AuthFrame>
    );
  return (
    <AuthFrame title="Alerts by e-mail" problem={problem}>
      {token === null && <Text size="sm">Open this page with the link from your mail.</Text>}
      {token && !problem && (
        <>
          <Text size="sm">
            Your address is to get alerts of the organisation that the mail names. Confirm if you want them;
            otherwise close this page, and nothing is sent.
          </Text>
          <Button onClick={() => confirm.mutate({ token })} loading={confirm.isPending} fullWidth>
            Confirm
          </Button>
        </>
      )}
    </AuthFrame>
  );
}
