import { createCallerFactory, router } from "./trpc.ts";

/** Every operation of the program: REST routes and what only the console asks for. */
export const appRouter = router({});
export type AppRouter = typeof appRouter;

export const createCaller = createCallerFactory(appRouter);
