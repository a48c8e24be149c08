import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { Services } from "#server/api/services.ts";
import { RateLimiter } from "#server/auth/rate-limiter.ts";
import { RateLimits } from "#server/auth/rate-limits.ts";
import { randomToken } from "#server/platform/ids.ts";
import { projectDirectory, publishProjectDirectory } from "#server/platform/project.ts";
import { readBuiltSite } from "./built-site.ts";
import type { ConsoleHandler } from "./console-handlers.ts";
import { requestIdOf } from "./console-session.ts";
import { documentPages } from "./document-pages.ts";
import { PageCache } from "./page-cache.ts";
import { createPageHandler } from "./page-handler.ts";
import { headersOfPages, pagePolicy } from "./page-headers.ts";
import { inTurn } from "./page-renderer.ts";
import { PageThread } from "./page-thread.ts";
import { siteFiles } from "./site-files.ts";

export type Upgrade = (req: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface Console {
  readonly page: ConsoleHandler;
  /** The web socket of hot reloading; null in production. */
  readonly upgrade: Upgrade | null;
  close(): Promise<void>;
}

type Handle = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** In development Next answers by itself: it compiles pages when they are requested, and has its own paths for that. */
const developmentPages =
  (handle: Handle, headersOf: ReturnType<typeof headersOfPages>): ConsoleHandler =>
  async (req, res) => {
    const nonce = randomToken(16);
    req.headers["content-security-policy"] = pagePolicy(nonce, true);
    req.headers["x-request-id"] = requestIdOf(res);
    for (const [name, value] of Object.entries(headersOf(req.url ?? "/", nonce))) res.setHeader(name, value);
    await handle(req, res);
  };

function productionPages(
  { config, log, peerAddress }: Services,
  thread: PageThread,
  headersOf: ReturnType<typeof headersOfPages>,
): ConsoleHandler {
  const build = join(projectDirectory, ".next");
  // Each process counts for itself: the limit protects its own time, and page views should not use the database.
  const rates = new RateLimits(new RateLimiter({ database: null, log }), config);
  return createPageHandler({
    site: readBuiltSite(build, documentPages(projectDirectory)),
    pages: new PageCache(inTurn((target, headers) => thread.render(target, headers))),
    readFile: siteFiles(build),
    async admit(req, kind) {
      const ipAddress = peerAddress(req.socket.remoteAddress, req.headers["x-forwarded-for"]);
      await rates.admitVisit(ipAddress, kind);
    },
    headersOf,
    log,
  });
}

/** Starts Next inside this process, for development. */
async function developmentConsole({ config }: Services): Promise<Console> {
  const { HOST: hostname, PORT: port } = config;
  const { default: next } = await import("next");
  publishProjectDirectory();
  const app = next({ dev: true, dir: projectDirectory, hostname, port, quiet: false });
  await app.prepare();
  const upgrade = app.getUpgradeHandler();
  return {
    page: developmentPages(app.getRequestHandler(), headersOfPages(config, true)),
    upgrade: (req, socket, head) => void upgrade(req, socket, head),
    close: () => app.close(),
  };
}

/** The console. `page` answers everything that no other handler takes. */
export async function createConsole(services: Services, { dev }: { dev: boolean }): Promise<Console> {
  if (dev) return developmentConsole(services);
  const { HOST: hostname, PORT: port } = services.config;
  const thread = new PageThread({ hostname, port });
  return {
    page: productionPages(services, thread, headersOfPages(services.config, false)),
    upgrade: null,
    close: async () => thread.close(),
  };
}
