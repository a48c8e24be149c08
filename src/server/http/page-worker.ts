import { parentPort, workerData } from "node:worker_threads";
import next from "next";
import { projectDirectory, publishProjectDirectory } from "#server/platform/project.ts";
import type { Rendered } from "./page-renderer.ts";
import { type PageHandle, renderWith } from "./render-with.ts";

/** What the thread is started with: where the server listens, which Next wants to know. */
export interface PageWorkerData {
  readonly hostname: string;
  readonly port: number;
}

/** A page to render. */
export interface PageQuestion {
  readonly id: number;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The rendered page; or why it could not be rendered. The first message, without an id, says that Next runs. */
export type PageAnswer =
  | (Rendered & { readonly id: number })
  | { readonly id: number; readonly failure: string }
  | { readonly id: null };

const answer = (message: PageAnswer): void => parentPort?.postMessage(message);

publishProjectDirectory();
const { hostname, port } = workerData as PageWorkerData;
const app = next({ dev: false, dir: projectDirectory, hostname, port, quiet: true });
await app.prepare();
const handle: PageHandle = app.getRequestHandler();

parentPort?.on("message", async ({ id, target, headers }: PageQuestion) => {
  try {
    answer({ id, ...(await renderWith(handle, target, headers)) });
  } catch (error) {
    answer({ id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
answer({ id: null });
