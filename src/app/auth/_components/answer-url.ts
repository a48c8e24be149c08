/** The callback with the answer appended to its query. The query itself is not rewritten. */
export function answerUrl(callbackUrl: string, answer: Readonly<Record<string, string | undefined>>): string {
  const added = Object.entries(answer)
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}=${encodeURIComponent(value)}`))
    .join("&");
  return `${callbackUrl}${callbackUrl.includes("?") ? "&" : "?"}${added}`;
}
