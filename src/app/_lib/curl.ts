const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

interface CurlOptions {
  readonly method: string;
  readonly url: string;
  readonly withKey: boolean;
  readonly body?: unknown;
}

/** A command for a POSIX shell. The key comes from the environment, so it stays out of the shell's history. */
export function curl({ method, url, withKey, body }: CurlOptions): string {
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(url)}`,
    ...(withKey ? ['-H "Authorization: Bearer $PORTOLAN_API_KEY"'] : []),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body, null, 2))}`]),
  ];
  return lines.join(" \\\n  ");
}

/** A first completion; without the sandbox the reader has to fill in a model. */
export const completionCurl = (origin: string, model: string | null): string =>
  curl({
    method: "POST",
    url: `${origin}/api/v1/completions`,
    withKey: true,
    body: { model: model ?? "provider/model", prompt: "Say hello from the sea", max_tokens: 32 },
  });
