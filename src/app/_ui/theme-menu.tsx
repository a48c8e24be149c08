"use client";

import { ActionIcon, Menu, useMantineColorScheme } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { colorSchemes } from "./color-schemes.ts";
import { CheckIcon, ScreenIcon } from "./icons.tsx";

/** Light, dark, or as the system has it. The choice stays in this browser. */
export function ThemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const chosen = useMounted() ? colorScheme : "auto";
  const { Icon } = colorSchemes.find(({ value }) => value === chosen) ?? { Icon: ScreenIcon };
  return (
    <Menu position="bottom-end" width={160}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Theme">
          <Icon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {colorSchemes.map(({ value, label, Icon: SchemeIcon }) => (
          <Menu.Item
            key={value}
            leftSection={<SchemeIcon width={16} height={16} />}
            rightSection={value === chosen ? <CheckIcon width={16} height={16} /> : null}
            aria-current={value === chosen || undefined}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
