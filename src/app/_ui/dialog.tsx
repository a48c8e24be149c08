"use client";

import { Group, Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { focusFirst, titleProps } from "./focus-first.ts";
import { Overlay } from "./unsaved.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** False when a click beside it would lose something. */
  readonly closeOnClickOutside?: boolean;
  readonly children: ReactNode;
}

/** A dialog over the screen. Mantine's own header would be a second banner among the landmarks. */
export function Dialog({ title, onClose, closeOnClickOutside = true, children }: DialogProps) {
  return (
    <Overlay onClose={onClose}>
      {(close) => (
        <Modal.Root
          opened
          closeOnEscape={false}
          onClose={close}
          size="lg"
          closeOnClickOutside={closeOnClickOutside}
        >
          <Modal.Overlay />
          <Modal.Content ref={focusFirst}>
            <Group justify="space-between" wrap="nowrap" p="md">
              <Modal.Title {...titleProps}>{title}</Modal.Title>
              <Modal.CloseButton aria-label="Close" />
            </Group>
            <Modal.Body>{children}</Modal.Body>
          </Modal.Content>
        </Modal.Root>
      )}
    </Overlay>
  );
}
