"use client";

import { Group, SimpleGrid, Stack, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useState } from "react";
import { Monogram } from "#app/_ui/monogram.tsx";
import type { DestinationType } from "#contract/destination.ts";
import classes from "./type-gallery.module.css";

interface TypeGalleryProps {
  readonly types: readonly DestinationType[];
  readonly onPick: (type: string) => void;
}

/** Every type of destination there is; the list comes from the server's registry. */
export function TypeGallery({ types, onPick }: TypeGalleryProps) {
  const [find, setFind] = useState("");
  const wanted = find.trim().toLowerCase();
  const shown = types.filter(({ name, description, protocol }) =>
    `${name} ${description} ${protocol}`.toLowerCase().includes(wanted),
  );
  return (
    <Stack>
      <TextInput
        label="Search"
        placeholder="Langfuse, OTLP, warehouse …"
        value={find}
        onChange={(event) => setFind(event.currentTarget.value)}
        data-autofocus
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {shown.map(({ type, name, description, protocol }) => (
          <UnstyledButton key={type} className={classes.type} onClick={() => onPick(type)}>
            <Group component="span" gap="sm" wrap="nowrap">
              <Monogram name={name} seed={type} />
              <Text component="span" fw={600}>
                {name}
              </Text>
            </Group>
            <Text size="sm" c="dimmed">
              {description}
            </Text>
            <Text size="xs" c="dimmed" mt={4}>
              {protocol}
            </Text>
          </UnstyledButton>
        ))}
      </SimpleGrid>
      {shown.length === 0 && (
        <Text c="dimmed" size="sm">
          No matching destination. Most tools accept OTLP: use OpenTelemetry Collector.
        </Text>
      )}
    </Stack>
  );
}
