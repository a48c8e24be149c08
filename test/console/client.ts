import { createTRPCClient, httpLink } from "@trpc/client";
import type { AppRouter } from "#server/api/root.ts";
import type { Server } from "./server.ts";

/** The console's own client, over the answers of a test. */
export const clientOf = (server: Server) =>
  createTRPCClient<AppRouter>({
    links: [
      httpLink({
        url: "http://console.test/api/trpc",
        fetch: (url, init) => server.fetch(String(url), typeof init?.body === "string" ? init.body : null),
      }),
    ],
  });
