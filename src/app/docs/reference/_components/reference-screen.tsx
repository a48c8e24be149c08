"use client";

import { Anchor, Box, Group, NavLink, Skeleton, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useState } from "react";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { documentPath, documentQuery, findIn, type Section, sectionsOf } from "./document.ts";
import { OperationPanel } from "./operation-panel.tsx";
import classes from "./reference-screen.module.css";

function Contents({ sections }: { sections: readonly Section[] }) {
  return (
    <Box component="nav" aria-label="Operations" className={classes.contents} visibleFrom="lg">
      {sections.map(({ tag, entries }) => (
        <Box key={tag} mb="md">
          <Text size="xs" fw={600} c="dimmed" px="sm" mb={4}>
            {tag}
          </Text>
          {entries.map(({ id, operation }) => (
            <NavLink key={id} href={`#${id}`} label={operation.summary ?? id} className={classes.link} />
          ))}
        </Box>
      ))}
    </Box>
  );
}

/** The API reference, drawn from the same document that tools read. */
export function ReferenceScreen() {
  const { data: document, error, isPending, refetch } = useQuery(documentQuery);
  const [typed, setTyped] = useState("");
  // The browser looked for the anchor before it was rendered.
  useEffect(() => {
    if (document) window.document.getElementById(window.location.hash.slice(1))?.scrollIntoView();
  }, [document]);
  // Typing must not wait until a hundred operations are rendered again.
  const sections = findIn(document ? sectionsOf(document) : [], useDeferredValue(typed));
  return (
    <Screen
      path="/docs/reference"
      actions={
        <Text c="dimmed" size="sm">
          {document && `${document.info.title} ${document.info.version}, `}
          <Anchor href={documentPath} size="sm">
            OpenAPI document
          </Anchor>
        </Text>
      }
    >
      <Group align="flex-start" gap="xl" wrap="nowrap">
        <Stack gap="lg" style={{ flex: 1, minWidth: 0 }}>
          {isPending && <Skeleton h={480} radius="md" />}
          {error && <FailureAlert error={error} onRetry={() => void refetch()} />}
          {document?.info.description && <Text>{document.info.description}</Text>}
          {document && (
            <TextInput
              label="Find an operation"
              placeholder="Name, path or method"
              data-search
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          )}
          {document && sections.length === 0 && <Text c="dimmed">No matching operations.</Text>}
          {document &&
            sections.map(({ tag, description, entries }) => (
              <Stack component="section" key={tag} gap="md" aria-label={tag}>
                <Title order={2} size="h3">
                  {tag}
                </Title>
                {description && <Text c="dimmed">{description}</Text>}
                {entries.map((entry) => (
                  <OperationPanel key={entry.id} entry={entry} document={document} />
                ))}
              </Stack>
            ))}
        </Stack>
        <Contents sections={sections} />
      </Group>
    </Screen>
  );
}
