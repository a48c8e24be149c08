import { overviewRouter } from "./routers/overview.ts";
import { sessionRouter } from "./routers/session.ts";
import { createCallerFactory, router } from "./trpc.ts";

/** Every operation of the program: REST routes and what only the console asks for. */
export const appRouter = router({
  overview: overviewRouter,
  session: sessionRouter,
});
export type AppRouter = typeof appRouter;

export const createCaller = createCallerFactory(appRouter);
