import { createHash, verify, X509Certificate } from "node:crypto";
import { asn1, type Der, der, derOf, derValues, NotDer } from "./der.ts";

/** Object identifiers in DER, without tag and length, as hexadecimal digits. */
const oids = {
  sha256: "608648016503040201",
  /** 1.2.840.113549.1.7.2 */
  signedData: "2a864886f70d010702",
  /** 1.2.840.113549.1.9.16.1.4 */
  timestampInfo: "2a864886f70d0109100104",
  /** 1.2.840.113549.1.9.4 */
  messageDigest: "2a864886f70d010904",
} as const;

/** Digests that signatures of authorities use, by object identifier. */
const digests: Readonly<Record<string, string>> = {
  [oids.sha256]: "sha256",
  "608648016503040202": "sha384",
  "608648016503040203": "sha512",
};

const oid = (digits: string): Buffer => der(asn1.oid, Buffer.from(digits, "hex"));
const sha256Algorithm = der(asn1.sequence, oid(oids.sha256), der(asn1.null));

/** What is to be stamped: a SHA-256 hash, and a random number that the answer must repeat. */
export interface Stamped {
  readonly hash: Buffer;
  /** Its first bit is 0: it is a positive number. */
  readonly nonce: Buffer;
}

const imprintOf = (hash: Buffer): Buffer => der(asn1.sequence, sha256Algorithm, der(asn1.octets, hash));

/** A request to a time-stamping authority, which must answer with its certificate (RFC 3161 2.4.1). */
export const timestampRequest = ({ hash, nonce }: Stamped): Buffer =>
  der(
    asn1.sequence,
    der(asn1.integer, Buffer.of(1)),
    imprintOf(hash),
    der(asn1.integer, nonce),
    der(asn1.boolean, Buffer.of(0xff)),
  );

const isOid = (value: Der | undefined, digits: string): boolean =>
  value?.tag === asn1.oid && value.content.toString("hex") === digits;

const inside = (value: Der): Der[] => derValues(value.content);

/** `YYYYMMDDhhmmss`, with a fraction if it has one, and `Z` (RFC 3161 2.4.2). */
function timeMsOf(value: Der): number {
  const [, year, month, day, hour, minute, second, fraction = ""] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d{1,9})?Z$/.exec(value.content.toString("latin1")) ?? [];
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${fraction.slice(0, 4)}Z`);
  if (Number.isNaN(ms)) throw new NotDer("The time is not valid");
  return ms;
}

function certificateOf(bytes: Buffer): X509Certificate {
  try {
    return new X509Certificate(bytes);
  } catch {
    throw new NotDer("It has a certificate that cannot be read");
  }
}

/** Verifies the signature of a token over its content with the certificate in it (RFC 5652 5.4). */
function assertSigned(content: Buffer, signedData: readonly Der[]): void {
  const [signer] = inside(derOf(signedData, asn1.set, signedData.length - 1));
  if (!signer) throw new NotDer("It has no signature");
  const [, issuerAndSerial, digestAlgorithm, ...rest] = inside(signer);
  const attributes = derOf(rest, asn1.context(0));
  const signature = derOf(rest, asn1.octets);
  const [algorithm] = digestAlgorithm ? inside(digestAlgorithm) : [];
  const digest = digests[algorithm?.content.toString("hex") ?? ""];
  if (!digest || !issuerAndSerial) throw new NotDer("It uses a digest that is not supported");
  const digestAttribute = inside(attributes).find((one) => isOid(inside(one)[0], oids.messageDigest));
  const [, values] = digestAttribute ? inside(digestAttribute) : [];
  const stated = values && derOf(inside(values), asn1.octets).content;
  if (!stated?.equals(createHash(digest).update(content).digest()))
    throw new NotDer("Its signature is of another content");
  const [, serial] = inside(issuerAndSerial);
  const key = inside(derOf(signedData, asn1.context(0)))
    .map(({ all }) => certificateOf(all))
    .find(({ serialNumber }) => BigInt(`0x${serialNumber}`) === integerOf(serial))?.publicKey;
  if (!key) throw new NotDer("It has no certificate of its signer");
  // Signed are the attributes as a SET, which they are marked as [0] instead of.
  const signed = Buffer.concat([Buffer.of(asn1.set), attributes.all.subarray(1)]);
  if (!verify(digest, signed, key, signature.content)) throw new NotDer("Its signature is not valid");
}

const integerOf = (value: Der | undefined): bigint =>
  value?.tag === asn1.integer && value.content.length > 0
    ? BigInt(`0x${value.content.toString("hex")}`)
    : -1n;

/**
 * Reads the answer of a time-stamping authority (RFC 3161 2.4.2) and returns its time in ms. Verifies that it is about this
 * hash and nonce, and that the certificate in it signed it; not whose certificate that is. Throws `NotDer`.
 */
export function readTimestamp(answer: Buffer, { hash, nonce }: Stamped): number {
  const [status, token] = inside(derOf(derValues(answer), asn1.sequence));
  const granted = status ? integerOf(inside(status)[0]) : -1n;
  if (granted !== 0n && granted !== 1n) throw new NotDer(`The authority refused with the status ${granted}`);
  if (!token) throw new NotDer("It has no token");
  const [type, wrapped] = inside(token);
  if (!isOid(type, oids.signedData) || !wrapped) throw new NotDer("It is not signed");
  const signedData = inside(derOf(inside(wrapped), asn1.sequence));
  const [contentType, octets] = inside(derOf(signedData, asn1.sequence, 2));
  if (!isOid(contentType, oids.timestampInfo) || !octets) throw new NotDer("It is not a timestamp");
  const { content } = derOf(inside(octets), asn1.octets);
  const info = inside(derOf(derValues(content), asn1.sequence));
  const imprint = derOf(info, asn1.sequence, 2);
  const [algorithm, stamped] = inside(imprint);
  const isSha256 = algorithm !== undefined && isOid(inside(algorithm)[0], oids.sha256);
  if (!isSha256 || !stamped?.content.equals(hash)) throw new NotDer("It is about another hash");
  const numbers = info.slice(4).filter(({ tag }) => tag === asn1.integer);
  if (!numbers.some(({ content: number }) => number.equals(nonce)))
    throw new NotDer("It answers another request");
  assertSigned(content, signedData);
  return timeMsOf(derOf(info, asn1.generalizedTime, 4));
}
