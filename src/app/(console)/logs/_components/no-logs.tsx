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

interface NoMatchYetProps {
  readonly onOlder: () => void;
  readonly onClearFilters: () => void;
}

/** Shown when the server has compared as many requests with the filters as it does for one page, and none matches. */
export const NoMatchYet = ({ onOlder, onClearFilters }: NoMatchYetProps) => (
  <EmptyState title="No matching requests so far" text="Older requests have not been searched yet.">
    <Button size="xs" onClick={onOlder}>
      Search older requests
    </Button>
    <Button size="xs" variant="default" onClick={onClearFilters}>
      Clear filters
    </Button>
  </EmptyState>
);
