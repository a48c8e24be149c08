import { Alert } from "@mantine/core";
import { AlertIcon } from "./icons.tsx";

interface UnreadableAlertProps {
  /** Null if everything can be read. */
  readonly problem: string | null | undefined;
  /** What that means, and what to do. */
  readonly effect: string;
}

/** Says that something stored cannot be read, because it was stored under other limits or by another version. */
export const UnreadableAlert = ({ problem, effect }: UnreadableAlertProps) =>
  problem ? (
    <Alert color="red" title="Part of this cannot be read" icon={<AlertIcon />} role="alert">
      {effect} The problem: {problem}
    </Alert>
  ) : null;
