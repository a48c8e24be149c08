import { createTRPCContext } from "@trpc/tanstack-react-query";
import type { AppRouter } from "#server/api/root.ts";

/** The console's only way to the server: procedures over HTTP, known here by their types alone. */
export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();
