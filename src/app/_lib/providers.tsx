"use client";

import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createTRPCClient, httpBatchLink } from "@trpc/client";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useState } from "react";
import type { AppRouter } from "#server/api/root.ts";
import "../_ui/back-guard.ts";
import { FieldMessages, Toasts } from "../_ui/lazy.tsx";
import { isWorthRetrying } from "./failure.ts";
import { theme } from "./theme.ts";
import { TRPCProvider } from "./trpc.ts";

/** The server takes no more calls in one request. */
const batchMax = 10;

const newQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: { staleTime: 5_000, retry: (failed, error) => failed < 1 && isWorthRetrying(error) },
    },
  });

const newTrpcClient = () =>
  createTRPCClient<AppRouter>({ links: [httpBatchLink({ url: "/api/trpc", maxItems: batchMax })] });

export function Providers({ children }: { children: ReactNode }) {
  const [queryClient] = useState(newQueryClient);
  const [trpcClient] = useState(newTrpcClient);
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
        <MantineProvider theme={theme} defaultColorScheme="auto">
          <Toasts position="bottom-right" />
          <FieldMessages />
          <NuqsAdapter>{children}</NuqsAdapter>
        </MantineProvider>
      </TRPCProvider>
    </QueryClientProvider>
  );
}
