interface Family {
  /** Why, in the words of a refusal. */
  readonly reason: string;
  readonly names: RegExp;
}

/** Headers of a destination that nobody may set, with the reason people are told. The first that fits counts. */
const families: readonly Family[] = [
  {
    reason: "it belongs to the connection",
    names:
      /^(host|connection|keep-alive|upgrade|expect|te|trailer|transfer-encoding|content-length|http2-settings|:.*)$/,
  },
  { reason: "it says what the body is", names: /^content-(type|encoding|md5|range)$/ },
  {
    reason: "it opens the metadata services of clouds",
    names: /^(metadata|.*-metadata|metadata-.*|.*-metadata-.*|x-identity-header|x-aws-ec2-.*)$/,
  },
  {
    reason: "only proxies may say where a request comes from",
    names:
      /^(forwarded|via|x-forwarded(-.*)?|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-connecting-ip|x-original-.*|x-rewrite-url)$/,
  },
  { reason: "it is for proxies on the way", names: /^proxy-.*$/ },
  { reason: "it carries a browser's session", names: /^(cookie2?|set-cookie2?)$/ },
  {
    reason: "it would make another request of it",
    names: /^(x-http-method|x-http-method-override|x-method-override)$/,
  },
  { reason: "it signs what is sent", names: /^webhook-.*$/ },
];

/** Why a header may not be set, in words that go behind its name; null when it may. */
export function whyForbidden(name: string): string | null {
  const lower = name.toLowerCase();
  const family = families.find(({ names }) => names.test(lower));
  return family ? `cannot be set: ${family.reason}` : null;
}
