import { AwsV4Signer } from "aws4fetch";
import { clock, dateAt, dayMs, isoTime } from "#server/platform/clock.ts";

/** Where checkpoints are published: a server that takes each one, or a bucket that has one object for each. */
export interface PublicationTarget {
  /** What it is called in lists and logs: its URL. */
  readonly name: string;
  readonly kind: "post" | "bucket";
  readonly url: URL;
}

/** What targets need besides their URL. */
export interface PublicationSecrets {
  /** For servers; null without one. */
  readonly token: string | null;
  /** For buckets. */
  readonly s3: BucketAccess | null;
}

interface BucketAccess {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  /** Days for which nobody can delete an object (S3 Object Lock, compliance mode); null: what the bucket says. */
  readonly lockDays: number | null;
}

const kinds: Readonly<Record<string, PublicationTarget["kind"]>> = {
  "https:": "post",
  "http:": "post",
  "s3+https:": "bucket",
  "s3+http:": "bucket",
};

/** Reads an item of `TRANSPARENCY_PUBLISH_TO`; null if it is not valid. */
export function readPublicationTarget(text: string): PublicationTarget | null {
  const parsed = URL.parse(text);
  const kind = parsed && Object.hasOwn(kinds, parsed.protocol) ? kinds[parsed.protocol] : undefined;
  const url = URL.parse(text.replace(/^s3\+/, ""));
  if (!kind || !url || url.username !== "" || url.hash !== "") return null;
  if (kind === "bucket" && url.search !== "") return null;
  return { name: text, kind, url };
}

export interface Published {
  readonly origin: string;
  readonly size: number;
  /** A signed note (C2SP tlog-checkpoint). */
  readonly checkpoint: string;
}

export interface PublicationRequest {
  readonly method: "POST" | "PUT";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const type = { "content-type": "text/plain; charset=utf-8" };

/** The key of the object of a checkpoint. Sorted by name, those of a log are sorted by size. */
const keyOf = ({ origin, size }: Published): string =>
  `${origin.replaceAll(/[^A-Za-z0-9./-]/g, "_")}/${String(size).padStart(15, "0")}.txt`;

/** `PutObject`. Object Lock needs a checksum of the content. */
async function putRequest(
  { url: folder }: PublicationTarget,
  s3: BucketAccess,
  published: Published,
): Promise<PublicationRequest> {
  const nowMs = clock.nowMs();
  const body = published.checkpoint;
  const sum = await crypto.subtle.digest("SHA-256", Buffer.from(body));
  const lock = s3.lockDays !== null && {
    "x-amz-object-lock-mode": "COMPLIANCE",
    "x-amz-object-lock-retain-until-date": dateAt(nowMs + s3.lockDays * dayMs).toISOString(),
  };
  const signer = new AwsV4Signer({
    method: "PUT",
    url: `${folder.href.replace(/\/$/, "")}/${keyOf(published)}`,
    headers: { ...type, "x-amz-checksum-sha256": Buffer.from(sum).toString("base64"), ...lock },
    body,
    ...{ accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey, region: s3.region },
    service: "s3",
    datetime: isoTime(nowMs).replaceAll(/[:-]|\.\d{3}/g, ""),
  });
  const { url, headers } = await signer.sign();
  const { host: _, ...own } = Object.fromEntries(headers.entries());
  return { method: "PUT", url, headers: own, body };
}

/** The request that publishes a checkpoint. */
export async function publicationRequest(
  target: PublicationTarget,
  { token, s3 }: PublicationSecrets,
  published: Published,
): Promise<PublicationRequest> {
  if (target.kind === "bucket") {
    if (!s3) throw new Error("There are no credentials for the bucket");
    return putRequest(target, s3, published);
  }
  const headers = { ...type, ...(token !== null && { authorization: `Bearer ${token}` }) };
  return { method: "POST", url: target.url, headers, body: published.checkpoint };
}
