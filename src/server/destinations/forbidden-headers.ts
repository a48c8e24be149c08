interface Family {
  /** The reason, as part of the refusal. */
  readonly reason: string;
  readonly names: RegExp;
}

/** Headers that a destination may not set, each with the reason. The first match counts. */
const families: readonly Family[] = [
  {
    reason: "it controls the connection",
    names:
      /^(host|connection|keep-alive|upgrade|expect|te|trailer|transfer-encoding|content-length|http2-settings|:.*)$/,
  },
  { reason: "it describes the body", names: /^content-(type|encoding|md5|range)$/ },
  {
    reason: "it gives access to the metadata services of clouds",
    names: /^(metadata|.*-metadata|metadata-.*|.*-metadata-.*|x-identity-header|x-aws-ec2-.*)$/,
  },
  {
    reason: "only proxies may set the origin of a request",
    names:
      /^(forwarded|via|x-forwarded(-.*)?|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-connecting-ip|x-original-.*|x-rewrite-url)$/,
  },
  { reason: "it controls proxies on the way", names: /^proxy-.*$/ },
  { reason: "it contains a browser's session", names: /^(cookie2?|set-cookie2?)$/ },
  {
    reason: "it changes the request",
    names: /^(x-http-method|x-http-method-override|x-method-override)$/,
  },
  { reason: "it signs the request", names: /^webhook-.*$/ },
];

/** Why a header may not be set, as the rest of a sentence; null if it may. */
export function whyForbidden(name: string): string | null {
  const lower = name.toLowerCase();
  const family = families.find(({ names }) => names.test(lower));
  return family ? `cannot be set: ${family.reason}` : null;
}
