/** The callback with what it is told appended to the query it has; nothing of that query is rewritten. */
export function answerUrl(callbackUrl: string, answer: Readonly<Record<string, string | undefined>>): string {
  const added = Object.entries(answer)
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}=${encodeURIComponent(value)}`))
    .join("&");
  return `${callbackUrl}${callbackUrl.includes("?") ? "&" : "?"}${added}`;
}
