import { Alert, List, Text, Title } from "@mantine/core";
import { formatEur } from "#app/_lib/format.ts";
import { AlertIcon } from "#app/_ui/icons.tsx";
import type { AuthorizationQuery, ConsentView } from "#contract/authorization.ts";

interface ConsentSummaryProps {
  readonly request: AuthorizationQuery;
  readonly account: ConsentView;
}

/** Which app asks, on whose account, and where the key goes. */
export function ConsentSummary({ request: { callback_url, client_id }, account }: ConsentSummaryProps) {
  // The address as the browser will use it: a look-alike host shows in punycode.
  const { host, origin, pathname } = new URL(callback_url);
  return (
    <>
      <Title order={1} size="h3">
        Allow <span translate="no">{host}</span> to use your account?
      </Title>
      {client_id && <Text size="sm">The app calls itself “{client_id}”. This name is not verified.</Text>}
      <Text size="sm">
        A key for <strong>{account.organisation}</strong> goes to {origin + pathname}. You are signed in as{" "}
        {account.email}; the organisation has {formatEur(account.balance)} of credit.
      </Text>
    </>
  );
}

/** What the key can do, and what is risky about the request. */
export function ConsentPermissions({ request }: Pick<ConsentSummaryProps, "request">) {
  return (
    <>
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
    </>
  );
}
