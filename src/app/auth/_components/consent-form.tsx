"use client";

import { Alert, Button, Group, List, NativeSelect, Stack, Text, Title } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { failureOf } from "#app/_lib/failure.ts";
import { formatEur } from "#app/_lib/format.ts";
import { expiryBody, limitBody, noLimit } from "#app/_lib/key-limits.ts";
import { goToExternal } from "#app/_lib/navigate.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { ExpiryField } from "#app/_ui/expiry-field.tsx";
import { FailureText } from "#app/_ui/failure-text.tsx";
import { FormFailure } from "#app/_ui/form-failure.tsx";
import { AlertIcon } from "#app/_ui/icons.tsx";
import { LimitFields } from "#app/_ui/limit-fields.tsx";
import { WorkspaceField } from "#app/_ui/workspace-field.tsx";
import type { AuthorizationQuery, ConsentView } from "#contract/authorization.ts";
import { answerUrl } from "./answer-url.ts";

interface ConsentFormProps {
  readonly request: AuthorizationQuery;
  readonly account: ConsentView;
}

/** What a person who only clicks allows. */
const suggested = { ...noLimit, limit: "10", ends: "90" };

/** Who asks, for what and on whose account; every bound can be lowered before anything is granted. */
export function ConsentForm({ request, account }: ConsentFormProps) {
  const [leaving, setLeaving] = useState(false);
  const [bounds, setBounds] = useState(suggested);
  const [workspaceId, setWorkspaceId] = useState<string | null>(null);
  const authorize = useMutation(useTRPC().authorization.authorize.mutationOptions());
  const change = useMutation(useTRPC().session.switchOrganisation.mutationOptions());
  const { callback_url, state, client_id } = request;
  // The address as the browser will use it: a look-alike host shows in punycode.
  const { host, origin, pathname } = new URL(callback_url);

  const answer = (values: Record<string, string | undefined>) => {
    setLeaving(true);
    goToExternal(answerUrl(callback_url, { ...values, state }));
  };

  async function approve(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const { code_challenge, code_challenge_method, key_label } = request;
    const body = {
      ...{ callback_url, code_challenge, code_challenge_method, key_label, client_id },
      ...limitBody(bounds),
      expires_at: expiryBody(bounds.ends),
      workspace_id: workspaceId,
    };
    authorize.mutate(body, { onSuccess: ({ code }) => answer({ code }) });
  }

  return (
    <form method="post" onSubmit={approve}>
      <Stack>
        <Title order={1} size="h3">
          Allow <span translate="no">{host}</span> to use your account?
        </Title>
        {client_id && <Text size="sm">The app calls itself “{client_id}”. This name is not verified.</Text>}
        <Text size="sm">
          A key for <strong>{account.organisation}</strong> goes to {origin + pathname}. You are signed in as{" "}
          {account.email}; the organisation has {formatEur(account.balance)} of credit.
        </Text>
        {account.organisations.length > 1 && (
          <NativeSelect
            label="Organisation"
            description="The console switches to it as well."
            value={account.organisation_id}
            disabled={change.isPending || change.isSuccess}
            error={change.isError && <FailureText failure={failureOf(change.error)} />}
            onChange={({ currentTarget }) =>
              // A full load: nothing of the other organisation may stay in memory.
              change.mutate({ org_id: currentTarget.value }, { onSuccess: () => window.location.reload() })
            }
            data={account.organisations.map(({ id, name }) => ({ value: id, label: name }))}
          />
        )}
        <List size="sm">
          <List.Item>It can send inference requests, paid from this credit.</List.Item>
          <List.Item>It cannot see or change keys, rules or what others have sent.</List.Item>
        </List>
        {request.code_challenge_method === "plain" && (
          <Alert variant="default" icon={<AlertIcon />} title="Insecure request">
            This app uses the plain PKCE method: anyone who intercepts its request can take the key. Allow it
            only if you know why.
          </Alert>
        )}
        <LimitFields value={bounds} onChange={(limit) => setBounds({ ...bounds, ...limit })} />
        <ExpiryField value={bounds.ends} onChange={(ends) => setBounds({ ...bounds, ends })} />
        <WorkspaceField workspaces={account.workspaces} value={workspaceId} onChange={setWorkspaceId} />
        {!account.may_issue && (
          <Alert color="red" role="alert">
            Your role cannot create API keys. Ask an owner of the organisation.
          </Alert>
        )}
        <FormFailure error={authorize.error} />
        <Group justify="flex-end">
          <Button variant="default" disabled={leaving} onClick={() => answer({ error: "access_denied" })}>
            Deny
          </Button>
          <Button type="submit" disabled={!account.may_issue} loading={authorize.isPending || leaving}>
            Allow
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
