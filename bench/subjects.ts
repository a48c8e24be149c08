import { fileURLToPath } from "node:url";
import { postgresPrograms } from "#test/setup/postgres-programs.ts";
import type { Mode } from "./answer.ts";
import { type Running, start } from "./child.ts";
import { startGateway } from "./gateway.ts";
import type { Peer, Peers } from "./peers.ts";
import { startPostgres } from "./postgres.ts";

/** A server under load: where requests go, what they carry, whose CPU and memory are counted. */
export interface Subject {
  readonly pid: number;
  readonly url: string;
  readonly headers: Record<string, string>;
  stop(): Promise<void>;
}

export interface Bench {
  readonly echo: Running;
  readonly peers: Peers;
  /** Directory of another checkout of this repository, set up, whose gateway is measured in the same run. */
  readonly against: string | undefined;
}

export interface SubjectRow {
  readonly name: string;
  readonly model: string;
  /** The modes it can do; all when absent. */
  readonly modes?: readonly Mode[];
  /** Why it is left out here, or null. */
  lacking(bench: Omit<Bench, "echo">): string | null;
  start(bench: Bench): Promise<Subject>;
}

const script = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** A program beside this file that prints its origin. */
export const startScript = (name: string, ...args: string[]): Promise<Running> =>
  start(process.execPath, [script(name), ...args], { env: { NODE_ENV: "production" } });

async function startPeer(peer: Peer | null, echo: Running): Promise<Subject> {
  if (!peer) throw new Error("The peer is not installed");
  return peer.start(echo.firstLine);
}

async function startWithPostgres(echo: Running, checkout?: string): Promise<Subject> {
  const programs = postgresPrograms();
  if (!programs) throw new Error("PostgreSQL's programs are gone");
  const postgres = await startPostgres(programs);
  try {
    const gateway = await startGateway(echo.firstLine, postgres.url, checkout);
    return { ...gateway, stop: () => gateway.stop().finally(postgres.stop) };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

const always = () => null;
const lackingPostgres = () => (postgresPrograms() ? null : "no PostgreSQL on this machine");

/** Who is measured, in the order of the table. The names are used in results and ratios. */
export const subjects: readonly SubjectRow[] = [
  {
    name: "direct",
    model: "echo",
    lacking: always,
    start: async ({ echo }) => ({
      ...echo,
      url: `${echo.firstLine}/v1/completions`,
      headers: {},
      stop: async () => {},
    }),
  },
  {
    name: "relay",
    model: "echo",
    lacking: always,
    start: async ({ echo }) => {
      const running = await startScript("relay.ts", echo.firstLine);
      return { ...running, url: `${running.firstLine}/v1/completions`, headers: {} };
    },
  },
  {
    name: "portolan",
    model: "bench/echo",
    lacking: always,
    start: ({ echo }) => startGateway(echo.firstLine),
  },
  {
    name: "portolan-postgres",
    model: "bench/echo",
    lacking: lackingPostgres,
    start: ({ echo }) => startWithPostgres(echo),
  },
  {
    name: "against-postgres",
    model: "bench/echo",
    lacking: ({ against }) => (against === undefined ? "no --against DIRECTORY" : lackingPostgres()),
    start: ({ echo, against }) => startWithPostgres(echo, against),
  },
  {
    name: "portkey",
    model: "echo",
    // 1.15.2 answers every streamed completion of a custom host with 500 (it appends to immutable headers).
    modes: ["complete"],
    lacking: ({ peers }) => (peers.portkey ? null : "not installed (--with-portkey fetches it)"),
    start: ({ peers, echo }) => startPeer(peers.portkey, echo),
  },
  {
    name: "litellm",
    model: "echo",
    lacking: ({ peers }) => (peers.litellm ? null : 'not installed (pip install "litellm[proxy]")'),
    start: ({ peers, echo }) => startPeer(peers.litellm, echo),
  },
];
