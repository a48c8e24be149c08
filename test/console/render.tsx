import { MantineProvider } from "@mantine/core";
import { Notifications, notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { AppRouterContext } from "next/dist/shared/lib/app-router-context.shared-runtime.js";
import { PathnameContext } from "next/dist/shared/lib/hooks-client-context.shared-runtime.js";
import { NuqsTestingAdapter } from "nuqs/adapters/testing";
import type { ReactNode } from "react";
import { theme } from "#app/_lib/theme.ts";
import { TRPCProvider } from "#app/_lib/trpc.ts";
import type { CurrentSession } from "#contract/overview.ts";
import type { Role } from "#contract/permission.ts";
import { clientOf } from "./client.ts";
import { permissionsOf } from "./permissions.ts";
import { type Answers, serverOf } from "./server.ts";

const organisation = { id: "018f0000-0000-7000-8000-00000000000a", name: "Nordwind" };

/** Who is signed in, with the permissions that the server gives the role. */
export const sessionOf = (role: Role, more: Partial<CurrentSession> = {}): CurrentSession => ({
  user_id: "018f0000-0000-7000-8000-0000000000aa",
  email: `${role}@nordwind.example`,
  role,
  permissions: [...permissionsOf(role)],
  operator: false,
  organisation,
  organisations: [organisation],
  ...more,
});

interface ConsoleOptions {
  readonly answers?: Answers;
  readonly role?: Role;
  readonly session?: Partial<CurrentSession>;
  readonly pathname?: string;
  /** What stands in the URL after the path. */
  readonly search?: string;
}

const emptyList = () => ({ data: [], total_count: 0 });

/** What nearly every screen asks, for tests that are about something else. */
const usual = (session: CurrentSession): Answers => ({
  session: { get: () => session },
  workspaces: { list: emptyList },
  members: { list: emptyList },
});

const merged = (base: Answers, more: Answers): Answers => {
  const areas = new Set([...Object.keys(base), ...Object.keys(more)]) as Set<keyof Answers>;
  return Object.fromEntries([...areas].map((area) => [area, { ...base[area], ...more[area] }]));
};

/**
 * Draws a part of the console as its pages do: the product's own tRPC hooks over a real client, whose network is
 * `answers`; the URL's query in memory.
 */
export function renderConsole(part: ReactNode, options: ConsoleOptions = {}) {
  const { answers = {}, role = "owner", session, pathname = "/", search = "" } = options;
  const server = serverOf(merged(usual(sessionOf(role, session)), answers));
  const trpcClient = clientOf(server);
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const visited: string[] = [];
  const go = (path: string) => void visited.push(path);
  const router = {
    push: go,
    replace: go,
    prefetch() {},
    back() {},
    forward() {},
    refresh() {},
    bfcacheId: "0",
  };
  let query = search;
  // They are in a store of their module, which outlives the page of a test.
  notifications.clean();
  const view = render(
    <AppRouterContext value={router}>
      <PathnameContext value={pathname}>
        <QueryClientProvider client={queryClient}>
          <TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
            <MantineProvider theme={theme} env="test">
              <Notifications />
              <NuqsTestingAdapter
                searchParams={search}
                hasMemory
                onUrlUpdate={({ queryString }) => {
                  query = queryString;
                }}
              >
                {part}
              </NuqsTestingAdapter>
            </MantineProvider>
          </TRPCProvider>
        </QueryClientProvider>
      </PathnameContext>
    </AppRouterContext>,
  );
  return {
    ...view,
    server,
    /** Paths that were navigated to without a page load. */
    visited,
    /** What now stands in the URL after the path. */
    query: () => new URLSearchParams(query),
    user: userEvent.setup({ delay: null, pointerEventsCheck: 0 }),
  };
}

/** A field by its label, emptied and filled at once: the console hears of whole texts as of single keys. */
export async function fill(user: ReturnType<typeof userEvent.setup>, field: HTMLElement, text: string) {
  await user.clear(field);
  if (text !== "") {
    await user.click(field);
    await user.paste(text);
  }
}
