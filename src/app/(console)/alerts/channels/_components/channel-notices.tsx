import { Alert, Button, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { formatAbsolute } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { FormFailure } from "#app/_ui/form-failure.tsx";
import { toastDone } from "#app/_ui/toast.tsx";
import type { AlertChannel, AlertChannelPause } from "#contract/alert-channel.ts";

/** In the colour of text, because that of the alert has too little contrast. */
const Title = ({ text }: { text: string }) => (
  <Text span inherit c="var(--mantine-color-text)">
    {text}
  </Text>
);

/** Why nothing is sent at the moment. */
export function Paused({ pause, mayTest }: { pause: AlertChannelPause; mayTest: boolean }) {
  const { reason, since, next_attempt_at } = pause;
  return (
    <Alert color="orange" title={<Title text="This channel is paused" />}>
      {reason}, several times in a row. Nothing is sent since {formatAbsolute(since)}; notifications wait.
      Next attempt: {formatAbsolute(next_attempt_at)}.
      {mayTest && " “Send a test” tries at once and ends the pause if the receiver accepts it."}
    </Alert>
  );
}

/** Why nothing is sent to an address that nobody has confirmed, and how to ask its owner again. */
export function Unconfirmed({ channel, mayAsk }: { channel: AlertChannel; mayAsk: boolean }) {
  const { id, target, confirmation_expires_at: end } = channel;
  const { askConfirmation, list } = useTRPC().alertChannels;
  const queryClient = useQueryClient();
  const asking = useMutation(
    askConfirmation.mutationOptions({
      onSuccess: async () => {
        await queryClient.invalidateQueries({ queryKey: list.queryKey() });
        await toastDone(`Another mail is sent to ${target}.`);
      },
    }),
  );
  return (
    <Alert color="orange" title={<Title text="This address is not confirmed" />}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {target} belongs to no member. Its owner has to confirm before anything is sent.{" "}
          {end === null
            ? "No confirmation mail was sent, because too many were sent today."
            : `The link in the mail works until ${formatAbsolute(end)}.`}
        </Text>
        <FormFailure error={asking.error} />
        {mayAsk && (
          <Button
            size="xs"
            variant="default"
            onClick={() => asking.mutate({ id })}
            loading={asking.isPending}
          >
            Send the mail again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
