// What verify.mjs uses of Node, for browsers: the page consists of this file, verify.mjs without its imports, and page.mjs.

/** The bytes that verify.mjs works with. */
export class Buffer extends Uint8Array {
  static from(value, encoding = "utf8") {
    if (typeof value !== "string") return new Buffer(value);
    if (encoding === "utf8") return new Buffer(new TextEncoder().encode(value));
    if (encoding === "hex") {
      const [digits = ""] = /^(?:[0-9a-f]{2})*/i.exec(value) ?? [];
      return new Buffer(digits.match(/../g)?.map((pair) => Number.parseInt(pair, 16)) ?? []);
    }
    try {
      return new Buffer([...atob(value)].map((character) => character.charCodeAt(0)));
    } catch {
      // It is compared with its base64, so this is found.
      return new Buffer(0);
    }
  }

  static alloc(length) {
    return new Buffer(length);
  }

  static concat(all) {
    const bytes = new Buffer(all.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const one of all) {
      bytes.set(one, at);
      at += one.length;
    }
    return bytes;
  }

  toString(encoding) {
    if (encoding === "base64") return btoa(String.fromCharCode(...this));
    return Array.from(this, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  equals(other) {
    return this.length === other.length && this.every((byte, at) => byte === other[at]);
  }

  #view() {
    return new DataView(this.buffer, this.byteOffset, this.byteLength);
  }

  readBigUInt64BE(at) {
    return this.#view().getBigUint64(at);
  }

  writeBigUInt64BE(value, at) {
    this.#view().setBigUint64(at, value);
  }
}

const primes = Array.from({ length: 312 }, (_, number) => number).filter(
  (number) => number > 1 && ![...Array(number).keys()].some((by) => by > 1 && number % by === 0),
);
/** The first 32 bits of the fraction of a number. */
const fraction = (number) => Math.trunc((number % 1) * 2 ** 32) | 0;
const firstState = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const rounds = primes.slice(0, 64).map((prime) => fraction(Math.cbrt(prime)));
const turned = (word, bits) => (word >>> bits) | (word << (32 - bits));

/** One block of SHA-256 (FIPS 180-4, 6.2.2). */
function compress(state, block) {
  const words = Array.from({ length: 16 }, (_, at) => block.getInt32(at * 4));
  for (let at = 16; at < 64; at++) {
    const [early, late] = [words[at - 15], words[at - 2]];
    const small = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const large = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    words[at] = (words[at - 16] + small + words[at - 7] + large) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let at = 0; at < 64; at++) {
    const chosen = (e & f) ^ (~e & g);
    const first = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + chosen + rounds[at] + words[at]) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + majority) | 0;
    [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
  }
  return [a, b, c, d, e, f, g, h].map((word, at) => (word + state[at]) | 0);
}

function sha256Of(bytes) {
  const padded = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / 64) * 64));
  new Uint8Array(padded.buffer).set(bytes);
  padded.setUint8(bytes.length, 0x80);
  padded.setBigUint64(padded.byteLength - 8, BigInt(bytes.length) * 8n);
  let state = firstState;
  for (let at = 0; at < padded.byteLength; at += 64)
    state = compress(state, new DataView(padded.buffer, at, 64));
  const digest = new DataView(new ArrayBuffer(32));
  for (const [at, word] of state.entries()) digest.setInt32(at * 4, word);
  return new Buffer(digest.buffer);
}

export const createHash = () => ({ update: (bytes) => ({ digest: () => sha256Of(bytes) }) });

/** An Ed25519 public key: the bytes after the fixed beginning of its SPKI. */
export const createPublicKey = ({ key }) => key.subarray(12);

const verified = new Map();

async function verifyLater(name, data, key, signature) {
  const imported = await crypto.subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
  verified.set(name, await crypto.subtle.verify("Ed25519", imported, signature, data));
}

/** Browsers verify later: throws a promise until it is known, and `withSignatures` calls again then. */
export function verify(_, data, key, signature) {
  const name = [data, key, signature].map((bytes) => bytes.toString("hex")).join();
  if (!verified.has(name)) throw verifyLater(name, data, key, signature);
  return verified.get(name);
}

/** Calls until every signature that the call needs is verified. */
export async function withSignatures(call) {
  for (;;) {
    try {
      return call();
    } catch (thrown) {
      if (!(thrown instanceof Promise)) throw thrown;
      await thrown;
    }
  }
}
