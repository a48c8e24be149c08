import { createHmac, type Hmac } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError } from "#server/platform/errors.ts";
import { isLongJson } from "#server/platform/long-json.ts";
import { inOnePiece } from "#server/platform/one-piece.ts";
import { writeWithYields } from "#server/platform/write-with-yields.ts";
import { LongJson } from "./long-json.ts";

/** The header with the key. */
export const digestKeyHeader = "x-portolan-digest-key";

/** How many bytes are hashed before other requests run. */
const turnBytes = 1 << 20;

/** Presenters write it too, where a protocol begins with it. */
const heartbeat = 'event: ping\ndata: {"type":"ping"}\n\n';

/** The digest of bytes that come in parts. */
class Digest {
  readonly #hmac: Hmac;

  constructor(key: string) {
    this.#hmac = createHmac("sha256", key);
  }

  add(part: string | Buffer): void {
    this.#hmac.update(part);
  }

  addEvents(text: string): void {
    this.add(text.replaceAll(heartbeat, ""));
  }

  /** The digest as PostgreSQL writes bytes. Only once, at the end. */
  value(): string {
    return inOnePiece(`\\x${this.#hmac.digest("hex")}`);
  }
}

/**
 * Digests of a request and its answer for its receipt: HMAC-SHA256 of the bodies (RFC 2104), with a key that the client
 * chose and that is stored nowhere. So the client can show what a receipt is about, and nobody else can guess it.
 */
export class ContentDigests {
  readonly #key: string;
  /** Of the request, as PostgreSQL writes bytes. */
  readonly request: string;

  private constructor(key: string, request: string) {
    this.#key = key;
    this.request = request;
  }

  /** Of a request with this body, as it was received. */
  static async of(key: string, body: Buffer): Promise<ContentDigests> {
    const digest = new Digest(key);
    for (let at = 0; at < body.length; at += turnBytes) {
      if (at > 0) await nextTurn();
      digest.add(body.subarray(at, at + turnBytes));
    }
    return new ContentDigests(key, digest.value());
  }

  /** Of an answer that is sent as JSON, as PostgreSQL writes bytes. */
  async ofJson(body: unknown): Promise<string> {
    const digest = new Digest(this.#key);
    for (const piece of await piecesOf(body)) {
      digest.add(piece);
      if (piece.length >= turnBytes) await nextTurn();
    }
    return digest.value();
  }

  /** Of an answer that is sent as events, which are added in their order. Comments and heartbeats are no part of it. */
  ofEvents(): Digest {
    return new Digest(this.#key);
  }
}

function piecesOf(body: unknown): readonly (string | Buffer)[] | Promise<readonly (string | Buffer)[]> {
  if (body instanceof LongJson) return body.pieces;
  return isLongJson(body) ? writeWithYields(body) : [JSON.stringify(body)];
}

/** Refuses a key for an answer that has no digest. Throws BAD_REQUEST. */
export function refuseDigests(digests: ContentDigests | undefined, why: string): void {
  if (digests)
    throw new AppError("BAD_REQUEST", `${digestKeyHeader}: ${why}; leave the header out`, {
      param: digestKeyHeader,
    });
}
