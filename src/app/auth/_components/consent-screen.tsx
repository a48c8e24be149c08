"use client";

import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { failureOf } from "#app/_lib/failure.ts";
import { replaceWith } from "#app/_lib/navigate.ts";
import { signInPath } from "#app/_lib/sign-in-path.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { SmallPage } from "#app/_ui/small-page.tsx";
import type { AuthorizationQuery } from "#contract/authorization.ts";
import { ConsentForm } from "./consent-form.tsx";

/** Asks the signed-in person; whoever is not signed in does that first and comes back. */
export function ConsentScreen({ request }: { request: AuthorizationQuery }) {
  const consent = useQuery(useTRPC().authorization.consent.queryOptions());
  const signedOut = consent.isError && failureOf(consent.error).code === "UNAUTHORIZED";
  useEffect(() => {
    if (signedOut) replaceWith(signInPath());
  }, [signedOut]);
  return (
    <SmallPage width={460}>
      {consent.data ? (
        <ConsentForm request={request} account={consent.data} />
      ) : consent.isError && !signedOut ? (
        <FailureAlert error={consent.error} onRetry={() => consent.refetch()} />
      ) : (
        <Skeleton h={320} aria-label="Loading" />
      )}
    </SmallPage>
  );
}
