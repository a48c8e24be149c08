"use client";

import { Anchor, Code, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import type { CatalogueProvider } from "#contract/catalogue-view.ts";
import { credentialVariable } from "#contract/exclusion-words.ts";

function stateWords({ auth, unusable, credentials: { own, installation } }: CatalogueProvider): string {
  if (unusable === "own_credential") return "Your own, which cannot be read";
  if (auth === "none") return "Not required";
  if (own) return installation ? "Your own, then the shared credential" : "Your own";
  return installation ? "Shared credential" : "None";
}

/** Whose credential a provider is reached with, and what to do when there is none. */
export function CredentialFact({ provider }: { provider: CatalogueProvider }) {
  const { slug, auth, byok_supported, unusable, credentials } = provider;
  const session = useQuery(useTRPC().session.get.queryOptions());
  const operator = session.data?.operator ?? false;
  const hasOwn = credentials.own || unusable === "own_credential";
  const mayAdd = useMay("byok:write") && auth !== "none" && (byok_supported || operator);
  return (
    <Stack gap={4}>
      <Text size="sm">{stateWords(provider)}</Text>
      {unusable === "own_credential" && (
        <Text size="xs" c="dimmed">
          Nothing is sent. Save it again, or disable it to use the shared credential.
        </Text>
      )}
      {unusable === "no_base_url" && (
        <Text size="xs" c="dimmed">
          Base URL not set. The operator must set <Code>base_url</Code> in <Code>CATALOG_FILE</Code>.
        </Text>
      )}
      {mayAdd && (
        <Anchor
          size="sm"
          component={Link}
          href={`/providers/credentials?${hasOwn ? "provider" : "add"}=${slug}`}
        >
          {hasOwn ? "Your credentials" : "Add a credential"}
        </Anchor>
      )}
      {operator && unusable === "no_credential" && (
        <Text size="xs" c="dimmed">
          For all organisations: add a shared credential, or set <Code>{credentialVariable(slug)}</Code> and
          restart.
        </Text>
      )}
    </Stack>
  );
}
