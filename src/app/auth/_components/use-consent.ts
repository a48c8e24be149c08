"use client";

import { useState } from "react";
import { expiryBody, limitBody, noLimit } from "#app/_lib/key-limits.ts";
import { goToExternal } from "#app/_lib/navigate.ts";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import type { AuthorizationQuery } from "#contract/authorization.ts";
import { answerUrl } from "./answer-url.ts";

/** What a person grants who changes nothing. */
const suggested = { ...noLimit, limit: "10", ends: "90" };

/** The limits of the key that an app asks for, and both answers to the app. */
export function useConsent(request: AuthorizationQuery) {
  const [isLeaving, setLeaving] = useState(false);
  const [limits, setLimits] = useState(suggested);
  const [workspaceId, setWorkspaceId] = useState<string | null>(null);
  const client = useTRPCClient();
  const { callback_url, code_challenge, code_challenge_method, key_label, client_id, state } = request;

  const answer = (values: Record<string, string>) => {
    setLeaving(true);
    goToExternal(answerUrl(callback_url, { ...values, state }));
  };
  const authorize = useMutation({
    // The expiry is counted from now: as a variable it would make a second click another request.
    mutationFn: () =>
      client.authorization.authorize.mutate({
        ...{ callback_url, code_challenge, code_challenge_method, key_label, client_id },
        ...limitBody(limits),
        expires_at: expiryBody(limits.ends),
        workspace_id: workspaceId,
      }),
    onSuccess: ({ code }) => answer({ code }),
  });
  return {
    limits,
    changeLimits: (change: Partial<typeof limits>) => setLimits({ ...limits, ...change }),
    workspaceId,
    setWorkspaceId,
    allow: () => authorize.mutate(),
    deny: () => answer({ error: "access_denied" }),
    isLeaving,
    isAllowing: authorize.isPending,
    error: authorize.error,
  };
}
