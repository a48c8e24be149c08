import { findLitellm } from "./litellm.ts";
import { findPortkey } from "./portkey.ts";
import type { Subject } from "./subjects.ts";

/** Another gateway that is installed on this machine. */
export interface Peer {
  readonly version: string;
  /** Starts it in front of an upstream, as its documentation says. */
  start(upstream: string): Promise<Subject>;
}

export interface Peers {
  readonly portkey: Peer | null;
  readonly litellm: Peer | null;
}

/** The gateways that are installed here. `fetching` installs those that npm has. */
export const findPeers = (fetching: boolean): Peers => ({
  portkey: findPortkey(fetching),
  litellm: findLitellm(),
});

/** Their names and versions, as a report names them. */
export const peerVersions = (peers: Peers): string[] =>
  (["portkey", "litellm"] as const).flatMap((name) => {
    const peer = peers[name];
    return peer ? [`${name} ${peer.version}`] : [];
  });
