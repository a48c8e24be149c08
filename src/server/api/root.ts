import { activityRouter } from "./routers/activity.ts";
import { alertChannelsRouter } from "./routers/alert-channels.ts";
import { alertIncidentsRouter } from "./routers/alert-incidents.ts";
import { alertRulesRouter } from "./routers/alert-rules.ts";
import { anthropicModelsRouter } from "./routers/anthropic-models.ts";
import { auditRouter } from "./routers/audit.ts";
import { authorizationRouter } from "./routers/authorization.ts";
import { budgetsRouter } from "./routers/budgets.ts";
import { byokRouter } from "./routers/byok.ts";
import { catalogueRouter } from "./routers/catalogue.ts";
import { catalogueEntriesRouter } from "./routers/catalogue-entries.ts";
import { catalogueUpdatesRouter } from "./routers/catalogue-updates.ts";
import { chatCompletionsRouter } from "./routers/chat-completions.ts";
import { configRouter } from "./routers/config.ts";
import { connectedAppsRouter } from "./routers/connected-apps.ts";
import { conversationsRouter } from "./routers/conversations.ts";
import { creditsRouter } from "./routers/credits.ts";
import { dataFlowsRouter } from "./routers/data-flows.ts";
import { dataSubjectsRouter } from "./routers/data-subjects.ts";
import { destinationsRouter } from "./routers/destinations.ts";
import { erasuresRouter } from "./routers/erasures.ts";
import { evidencePackagesRouter } from "./routers/evidence-packages.ts";
import { generationsRouter } from "./routers/generations.ts";
import { identityRouter } from "./routers/identity.ts";
import { inferenceRouter } from "./routers/inference.ts";
import { invitationsRouter } from "./routers/invitations.ts";
import { keysRouter } from "./routers/keys.ts";
import { legalHoldsRouter } from "./routers/legal-holds.ts";
import { membersRouter } from "./routers/members.ts";
import { messagesRouter } from "./routers/messages.ts";
import { modelsRouter } from "./routers/models.ts";
import { organisationRouter } from "./routers/organisation.ts";
import { organisationsRouter } from "./routers/organisations.ts";
import { overviewRouter } from "./routers/overview.ts";
import { presetsRouter } from "./routers/presets.ts";
import { pricesRouter } from "./routers/prices.ts";
import { profileRouter } from "./routers/profile.ts";
import { providersRouter } from "./routers/providers.ts";
import { refusedRequestsRouter } from "./routers/refused-requests.ts";
import { responsesRouter } from "./routers/responses.ts";
import { routingRulesRouter } from "./routers/routing-rules.ts";
import { searchRouter } from "./routers/search.ts";
import { serviceAccountsRouter } from "./routers/service-accounts.ts";
import { sessionRouter } from "./routers/session.ts";
import { tagsRouter } from "./routers/tags.ts";
import { transparencyLogRouter } from "./routers/transparency-log.ts";
import { workspaceBudgetsRouter } from "./routers/workspace-budgets.ts";
import { workspacesRouter } from "./routers/workspaces.ts";
import { createCallerFactory, router } from "./trpc.ts";

/** Every operation of the program: the REST routes and the console's own calls. */
export const appRouter = router({
  activity: activityRouter,
  alertChannels: alertChannelsRouter,
  alertIncidents: alertIncidentsRouter,
  alertRules: alertRulesRouter,
  conversations: conversationsRouter,
  search: searchRouter,
  credits: creditsRouter,
  audit: auditRouter,
  transparencyLog: transparencyLogRouter,
  authorization: authorizationRouter,
  budgets: budgetsRouter,
  byok: byokRouter,
  catalogue: catalogueRouter,
  catalogueEntries: catalogueEntriesRouter,
  catalogueUpdates: catalogueUpdatesRouter,
  chatCompletions: chatCompletionsRouter,
  config: configRouter,
  connectedApps: connectedAppsRouter,
  dataFlows: dataFlowsRouter,
  dataSubjects: dataSubjectsRouter,
  erasures: erasuresRouter,
  evidencePackages: evidencePackagesRouter,
  legalHolds: legalHoldsRouter,
  generations: generationsRouter,
  destinations: destinationsRouter,
  identity: identityRouter,
  inference: inferenceRouter,
  invitations: invitationsRouter,
  keys: keysRouter,
  members: membersRouter,
  messages: messagesRouter,
  models: modelsRouter,
  anthropicModels: anthropicModelsRouter,
  organisation: organisationRouter,
  tags: tagsRouter,
  organisations: organisationsRouter,
  overview: overviewRouter,
  presets: presetsRouter,
  profile: profileRouter,
  prices: pricesRouter,
  providers: providersRouter,
  refusedRequests: refusedRequestsRouter,
  responses: responsesRouter,
  routingRules: routingRulesRouter,
  serviceAccounts: serviceAccountsRouter,
  session: sessionRouter,
  workspaceBudgets: workspaceBudgetsRouter,
  workspaces: workspacesRouter,
});
export type AppRouter = typeof appRouter;

export const createCaller = createCallerFactory(appRouter);
