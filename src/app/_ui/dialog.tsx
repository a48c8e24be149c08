"use client";

import { Group, Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { Overlay } from "./unsaved.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** False when a click beside it would lose something. */
  readonly closeOnClickOutside?: boolean;
  readonly children: ReactNode;
}

/** Typing starts in the first field of a dialog; without this the button that closes it has the focus, and Enter closes it. */
function focusFirstField(body: HTMLElement | null): void {
  if (!body || body.querySelector("[data-autofocus]")) return;
  body.querySelector("input, select, textarea")?.setAttribute("data-autofocus", "");
}

/** A dialog over the screen. Mantine's own header would be a second banner among the landmarks. */
export function Dialog({ title, onClose, closeOnClickOutside = true, children }: DialogProps) {
  return (
    <Overlay onClose={onClose}>
      {(close) => (
        <Modal.Root opened onClose={close} size="lg" closeOnClickOutside={closeOnClickOutside}>
          <Modal.Overlay />
          <Modal.Content>
            <Group justify="space-between" wrap="nowrap" p="md">
              <Modal.Title fw={650} lh={1.35} style={{ overflowWrap: "anywhere" }}>
                {title}
              </Modal.Title>
              <Modal.CloseButton aria-label="Close" />
            </Group>
            <Modal.Body ref={focusFirstField}>{children}</Modal.Body>
          </Modal.Content>
        </Modal.Root>
      )}
    </Overlay>
  );
}
