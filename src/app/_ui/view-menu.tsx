"use client";

import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "../_lib/navigate.ts";
import { useOwnStorage } from "../_lib/use-own-storage.ts";
import { CloseIcon } from "./icons.tsx";

interface View {
  readonly name: string;
  /** The query of the URL, which has filters, columns and sorting. */
  readonly search: string;
}

interface ViewMenuProps {
  /** The screen that the views belong to, such as `/logs`. */
  readonly path: string;
}

const nameMaxChars = 60;
const none: readonly View[] = [];

/** Views of a list that a person saved in this browser. Each one is a link that can be shared. */
export function ViewMenu({ path }: ViewMenuProps) {
  const go = useNavigate();
  const [opened, setOpened] = useState(false);
  const [name, setName] = useState("");
  const [views, setViews] = useOwnStorage<readonly View[]>(`views${path}`, none);
  const save = () => {
    const others = views.filter((view) => view.name !== name.trim());
    setViews([...others, { name: name.trim(), search: window.location.search }]);
    setName("");
    setOpened(false);
  };
  return (
    <Popover position="bottom-end" trapFocus returnFocus opened={opened} onChange={setOpened} width={280}>
      <Popover.Target>
        <Button size="xs" variant="default" onClick={() => setOpened(!opened)}>
          Views
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {views.map((view) => (
            <Group key={view.name} justify="space-between" wrap="nowrap" gap="xs">
              <Button
                size="xs"
                variant="subtle"
                justify="flex-start"
                flex={1}
                onClick={() => {
                  setOpened(false);
                  go(`${path}${view.search}`);
                }}
              >
                {view.name}
              </Button>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Delete ${view.name}`}
                onClick={() => setViews(views.filter((other) => other.name !== view.name))}
              >
                <CloseIcon width={14} height={14} />
              </ActionIcon>
            </Group>
          ))}
          {views.length === 0 && (
            <Text size="sm" c="dimmed">
              No saved views yet. A view has the filters, columns and sorting of this page.
            </Text>
          )}
          <form
            onSubmit={(event) => {
              event.preventDefault();
              save();
            }}
          >
            <Group gap="xs" wrap="nowrap">
              <TextInput
                size="xs"
                flex={1}
                aria-label="Name of the view"
                placeholder="Name of the view"
                maxLength={nameMaxChars}
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
              />
              <Button size="xs" type="submit" disabled={name.trim() === ""}>
                Save
              </Button>
            </Group>
          </form>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
