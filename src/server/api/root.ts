import { auditRouter } from "./routers/audit.ts";
import { authorizationRouter } from "./routers/authorization.ts";
import { completionsRouter } from "./routers/completions.ts";
import { identityRouter } from "./routers/identity.ts";
import { keysRouter } from "./routers/keys.ts";
import { overviewRouter } from "./routers/overview.ts";
import { providersRouter } from "./routers/providers.ts";
import { routingRulesRouter } from "./routers/routing-rules.ts";
import { sessionRouter } from "./routers/session.ts";
import { createCallerFactory, router } from "./trpc.ts";

/** Every operation of the program: REST routes and what only the console asks for. */
export const appRouter = router({
  audit: auditRouter,
  authorization: authorizationRouter,
  completions: completionsRouter,
  identity: identityRouter,
  keys: keysRouter,
  overview: overviewRouter,
  providers: providersRouter,
  routingRules: routingRulesRouter,
  session: sessionRouter,
});
export type AppRouter = typeof appRouter;

export const createCaller = createCallerFactory(appRouter);
