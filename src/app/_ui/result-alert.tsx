import { Alert } from "@mantine/core";
import type { ReactNode } from "react";
import { Status, type Tone } from "./status.tsx";

/** A ref that brings an element into view when it appears, because a button far from it may have caused it. */
export const intoView = (element: HTMLElement | null) => element?.scrollIntoView({ block: "nearest" });

interface ResultAlertProps {
  readonly tone: Tone;
  readonly title: string;
  readonly children?: ReactNode;
}

/** The result of a test or check. A new result is a new element if its key differs. */
export const ResultAlert = ({ tone, title, children }: ResultAlertProps) => (
  <Alert ref={intoView} role="status" variant="default" title={<Status tone={tone}>{title}</Status>}>
    {children}
  </Alert>
);
