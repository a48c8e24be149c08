import { Button } from "@mantine/core";
import { EmptyState } from "#app/_ui/empty-state.tsx";

/** Shown when the default period has no requests. */
export const NoLogs = ({ onShowMonth }: { onShowMonth: () => void }) => (
  <EmptyState
    title="No requests in the last 24 hours"
    text="Requests appear here within a second, with their attempts, excluded providers, usage and exact cost."
  >
    <Button component="a" href="/keys?create=true" size="xs">
      Create an API key
    </Button>
    <Button size="xs" variant="default" onClick={onShowMonth}>
      Show 30 days
    </Button>
  </EmptyState>
);
