"use client";

import { NativeSelect } from "@mantine/core";
import { failureOf } from "#app/_lib/failure.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { FailureText } from "#app/_ui/failure-text.tsx";
import type { ConsentView } from "#contract/authorization.ts";

/** The organisation that pays. Hidden for members of only one. */
export function OrganisationField({ account }: { readonly account: ConsentView }) {
  const change = useMutation(useTRPC().session.switchOrganisation.mutationOptions());
  const { organisation_id, organisations } = account;
  if (organisations.length < 2) return null;
  return (
    <NativeSelect
      label="Organisation"
      description="The console switches to it as well."
      value={organisation_id}
      disabled={change.isPending || change.isSuccess}
      error={change.isError && <FailureText failure={failureOf(change.error)} />}
      onChange={({ currentTarget }) =>
        // A full load: nothing of the other organisation may stay in memory.
        change.mutate({ org_id: currentTarget.value }, { onSuccess: () => window.location.reload() })
      }
      data={organisations.map(({ id, name }) => ({ value: id, label: name }))}
    />
  );
}
