const texts: Record<number, string> = {
  401: "E-mail or password is wrong.",
  400: "E-mail or password is wrong.",
};

const post = (path: string, body: Record<string, unknown>) =>
  fetch(`/api/auth${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** The text of a refusal. Checked by hand: a schema library would weigh more than the form. */
const messageIn = (body: unknown): string | null =>
  typeof body === "object" && body !== null && "message" in body && typeof body.message === "string"
    ? body.message
    : null;

/** Signs in; the session comes as a cookie. Returns null, or what to tell the person. */
export async function signIn(email: string, password: string): Promise<string | null> {
  try {
    const response = await post("/sign-in/email", { email, password });
    if (response.ok) return null;
    const known = texts[response.status];
    if (known) return known;
    return messageIn(await response.json()) ?? `The server answered ${response.status}.`;
  } catch {
    return "The server could not be reached. Try again in a moment.";
  }
}

/** Ends the session on the server. Throws when that did not happen. */
export async function signOut(): Promise<void> {
  const response = await post("/sign-out", {});
  if (!response.ok) throw new Error(`The server answered ${response.status}`);
}

/** Where to go after signing in: a path of ours, whatever the address bar says. */
export const safeNextPath = (next: string | null): string =>
  next && /^\/(?![/\\])/.test(next) ? next : "/overview";
