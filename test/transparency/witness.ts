import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { clock } from "#server/platform/clock.ts";
import {
  type Checkpoint,
  NotValid,
  type PublicKey,
  verifyCheckpoint,
  verifyConsistency,
} from "../../scripts/verify.mjs";

/** The key of a witness, which signs the text of checkpoints (C2SP tlog-cosignature). */
function witnessKey(name: string, seed: number) {
  const pkcs8 = Buffer.concat([
    Buffer.from("302e020100300506032b657004220420", "hex"),
    Buffer.alloc(32, seed),
  ]);
  const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
  const publicBytes = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32);
  const typed = Buffer.concat([Buffer.of(4), publicBytes]);
  const id = createHash("sha256")
    .update(Buffer.concat([Buffer.from(`${name}\n`), typed]))
    .digest()
    .subarray(0, 4);
  return {
    publicKey: `${name}+${id.toString("hex")}+${typed.toString("base64")}`,
    cosign(note: string, seconds: bigint): string {
      const body = note.slice(0, note.lastIndexOf("\n\n") + 1);
      const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${seconds}\n${body}`), key);
      const time = Buffer.alloc(8);
      time.writeBigUInt64BE(seconds);
      return `— ${name} ${Buffer.concat([id, time, signature]).toString("base64")}\n`;
    },
  };
}

/** A witness as C2SP tlog-witness requires it: it knows some logs, and signs only what continues what it signed before. */
export async function startWitness(name: string, seed: number) {
  const { publicKey, cosign } = witnessKey(name, seed);
  let signsAt: bigint | null = null;
  const logs = new Map<string, readonly PublicKey[]>();
  const latest = new Map<string, Checkpoint>();
  const requests: { readonly old: number; readonly status: number }[] = [];
  let answersWith: ((line: string) => string) | null = null;

  /** The answer to `add-checkpoint`. */
  function add(body: string): { status: number; type?: string; text: string } {
    const empty = body.indexOf("\n\n");
    const [first = "", ...proof] = body.slice(0, empty).split("\n");
    const note = body.slice(empty + 2);
    const old = Number(/^old (0|[1-9]\d*)$/.exec(first)?.[1]);
    if (Number.isNaN(old) || proof.length > 63) return { status: 400, text: "" };
    const keys = logs.get(note.split("\n")[0] ?? "");
    if (!keys) return { status: 404, text: "" };
    let checkpoint: Checkpoint;
    try {
      checkpoint = verifyCheckpoint(note, keys);
    } catch (error) {
      if (error instanceof NotValid) return { status: 403, text: "" };
      throw error;
    }
    if (old > checkpoint.size) return { status: 400, text: "" };
    const known = latest.get(checkpoint.origin);
    if (old !== (known?.size ?? 0))
      return { status: 409, type: "text/x.tlog.size", text: `${known?.size ?? 0}\n` };
    if (known?.size === checkpoint.size && !known.root.equals(checkpoint.root))
      return { status: 409, text: "" };
    const emptyRoot = createHash("sha256").digest();
    const path = proof.map((hash) => Buffer.from(hash, "base64"));
    try {
      verifyConsistency(known ?? { size: 0, root: emptyRoot }, path, checkpoint);
    } catch (error) {
      if (error instanceof NotValid) return { status: 422, text: "" };
      throw error;
    }
    latest.set(checkpoint.origin, checkpoint);
    const line = cosign(note, signsAt ?? BigInt(Math.floor(clock.nowMs() / 1000)));
    return { status: 200, text: answersWith?.(line) ?? line };
  }

  const server = createServer(async (request, response) => {
    const body = await text(request);
    const isCall = request.method === "POST" && request.url === "/w/add-checkpoint";
    const answer = isCall ? add(body) : { status: 404, text: "" };
    requests.push({ old: Number(body.split("\n")[0]?.slice(4)), status: answer.status });
    response.writeHead(answer.status, { "content-type": answer.type ?? "text/plain" }).end(answer.text);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    publicKey,
    /** As an item of the setting `TRANSPARENCY_WITNESSES`. */
    setting: `${publicKey} http://127.0.0.1:${port}/w/`,
    requests,
    /** Makes it sign checkpoints of a log. */
    knows: (origin: string, keys: readonly PublicKey[]) => void logs.set(origin, keys),
    /** Replaces the signature line in its answers. */
    answering: (change: ((line: string) => string) | null) => {
      answersWith = change;
    },
    /** Makes it sign at another time, in seconds; null for the present. */
    signingAt: (seconds: bigint | null) => {
      signsAt = seconds;
    },
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}
