"use client";

import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { AuthorizationQuery } from "#contract/authorization.ts";
import { failureOf } from "../../_lib/failure.ts";
import { replaceWith } from "../../_lib/go.ts";
import { signInPath } from "../../_lib/sign-in-path.ts";
import { useTRPC } from "../../_lib/trpc.ts";
import { FailureAlert } from "../../_ui/failure-alert.tsx";
import { SmallPage } from "../../_ui/small-page.tsx";
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
