"use client";

import { Alert, Button, Group, Stack } from "@mantine/core";
import { ExpiryField } from "#app/_ui/expiry-field.tsx";
import { FormFailure } from "#app/_ui/form-failure.tsx";
import { LimitFields } from "#app/_ui/limit-fields.tsx";
import { WorkspaceField } from "#app/_ui/workspace-field.tsx";
import type { AuthorizationQuery, ConsentView } from "#contract/authorization.ts";
import { ConsentPermissions, ConsentSummary } from "./consent-summary.tsx";
import { OrganisationField } from "./organisation-field.tsx";
import { useConsent } from "./use-consent.ts";

interface ConsentFormProps {
  readonly request: AuthorizationQuery;
  readonly account: ConsentView;
}

/** An app asks for a key. Every limit of the key can be changed before it is granted. */
export function ConsentForm({ request, account }: ConsentFormProps) {
  const { limits, changeLimits, ...consent } = useConsent(request);
  return (
    <form
      method="post"
      onSubmit={(event) => {
        event.preventDefault();
        consent.allow();
      }}
    >
      <Stack>
        <ConsentSummary request={request} account={account} />
        <OrganisationField account={account} />
        <ConsentPermissions request={request} />
        <LimitFields value={limits} onChange={changeLimits} />
        <ExpiryField value={limits.ends} onChange={(ends) => changeLimits({ ends })} />
        <WorkspaceField
          workspaces={account.workspaces}
          value={consent.workspaceId}
          onChange={consent.setWorkspaceId}
        />
        {!account.may_issue && (
          <Alert color="red" role="alert">
            Your role cannot create API keys. Ask an owner of the organisation.
          </Alert>
        )}
        <FormFailure error={consent.error} />
        <Group justify="flex-end">
          <Button variant="default" disabled={consent.isLeaving} onClick={consent.deny}>
            Deny
          </Button>
          <Button
            type="submit"
            disabled={!account.may_issue}
            loading={consent.isAllowing || consent.isLeaving}
          >
            Allow
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
