import type { Authorized } from "#server/access/authorize.ts";
import type { Database } from "#server/db/index.ts";
import { bundledBytes } from "./entry.ts";
import { tileHashes } from "./tiles.ts";
import { hashBytes } from "./tree.ts";

/** A tile of hashes, or a bundle of entries (C2SP tlog-tiles). */
export interface LogResource {
  /** Null for a bundle. */
  readonly level: number | null;
  readonly position: number;
  /** How many hashes or entries, 256 for a full one. */
  readonly width: number;
}

/** `0`, `999`, `x001/x000` and so on: digits in groups of three, all but the last one with an x before it. */
const pathOfNumber = (number: number): string => {
  const digits = String(number);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, "0").match(/\d{3}/g) ?? [];
  return groups.map((group, at) => (at === groups.length - 1 ? group : `x${group}`)).join("/");
};

const resourcePath = /^tile\/(entries|\d|[1-5]\d|6[0-3])\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** Reads a path such as `tile/0/x001/234.p/17`; null if it is not one. */
export function readResourcePath(path: string): LogResource | null {
  const [, level, encoded = "", width] = resourcePath.exec(path) ?? [];
  const position = Number(encoded.replaceAll(/[x/]/g, ""));
  const count = width === undefined ? tileHashes : Number(width);
  const isValid = width === undefined || count < tileHashes;
  if (level === undefined || pathOfNumber(position) !== encoded || !isValid) return null;
  return { level: level === "entries" ? null : Number(level), position, width: count };
}

/** The bytes of a tile or bundle of the caller's log; null if the log does not have as many. */
export async function readResource(
  { prisma }: Database,
  { orgId: org_id }: Authorized<"audit:read", "organisation">,
  { level, position, width }: LogResource,
): Promise<Uint8Array | null> {
  const bytes = width * (level === null ? bundledBytes : hashBytes);
  const stored =
    level === null
      ? (await prisma.log_bundle.findUnique({ where: { org_id_position: { org_id, position } } }))?.entries
      : (await prisma.log_tile.findUnique({ where: { org_id_level_position: { org_id, level, position } } }))
          ?.hashes;
  return stored === undefined || stored.length < bytes ? null : stored.subarray(0, bytes);
}
