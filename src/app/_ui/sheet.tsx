"use client";

import { Drawer, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { focusFirst, titleProps } from "./focus-first.ts";
import { Overlay } from "./unsaved.tsx";

interface SheetProps {
  readonly title: ReactNode;
  readonly onClose: () => void;
  /** Stands beside the closing button: what can be done with the thing. */
  readonly actions?: ReactNode;
  readonly size?: string;
  readonly children: ReactNode;
}

/** Details at the side of the screen, full screen on a phone. Esc closes it. */
export function Sheet({ title, onClose, actions, size = "min(640px, 100vw)", children }: SheetProps) {
  return (
    <Overlay onClose={onClose}>
      {(close) => (
        <Drawer.Root opened closeOnEscape={false} onClose={close} position="right" size={size}>
          <Drawer.Overlay backgroundOpacity={0.25} />
          <Drawer.Content ref={focusFirst}>
            <Group justify="space-between" wrap="nowrap" p="md">
              <Drawer.Title {...titleProps}>{title}</Drawer.Title>
              <Group gap="xs" wrap="nowrap">
                {actions}
                <Drawer.CloseButton aria-label="Close" />
              </Group>
            </Group>
            <Drawer.Body>{children}</Drawer.Body>
          </Drawer.Content>
        </Drawer.Root>
      )}
    </Overlay>
  );
}
