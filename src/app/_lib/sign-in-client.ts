import { goToExternal } from "./navigate.ts";
import { singleFlight } from "./single-flight.ts";

const wrongPair = "The e-mail or password is incorrect.";

const post = (path: string, body: Record<string, unknown>) =>
  fetch(`/api/auth${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** A text of an answer's body. Checked by hand: a schema library would weigh more than the form. */
function textIn(body: unknown, name: string): string | null {
  const value = typeof body === "object" && body !== null ? Object.entries(body) : [];
  const found = value.find(([key]) => key === name)?.[1];
  return typeof found === "string" ? found : null;
}

function messageIn(body: unknown): string | null {
  const error = typeof body === "object" && body !== null && "error" in body ? body.error : null;
  return textIn(body, "message") ?? textIn(error, "message");
}

/** Messages by status, where the server's own text would not help the person. */
type Texts = Readonly<Record<number, string>>;
type Answer = { readonly body: unknown } | { readonly problem: string };

async function send(path: string, body: Record<string, unknown>, texts: Texts): Promise<Answer> {
  try {
    const response = await post(path, body);
    if (response.ok) return { body: await response.json() };
    const known = texts[response.status];
    if (known) return { problem: known };
    return { problem: messageIn(await response.json()) ?? `The server answered ${response.status}.` };
  } catch {
    return { problem: "The server could not be reached. Try again in a moment." };
  }
}

const flight = singleFlight<Answer>();

/** A second click has the answer of the first: the server would refuse a token or a password that is used up. */
const ask = (path: string, body: Record<string, unknown>, texts: Texts = {}): Promise<Answer> =>
  flight.run(JSON.stringify([path, body]), () => send(path, body, texts));

const problemOf = (answer: Answer): string | null => ("problem" in answer ? answer.problem : null);

/** Signs in; the session comes as a cookie. Returns null, or what to tell the person. */
export const signIn = async (email: string, password: string): Promise<string | null> =>
  problemOf(await ask("/sign-in/email", { email, password }, { 400: wrongPair, 401: wrongPair }));

/** Asks for a link to choose a new password. Returns null, or what to tell the person. */
export const requestReset = async (email: string): Promise<string | null> =>
  problemOf(await ask("/request-password-reset", { email }));

/** Sets a new password by the token of a link. Returns null, or what to tell the person. */
export const resetPassword = async (token: string, newPassword: string): Promise<string | null> => {
  const gone = "This link was already used or has expired. Request a new one.";
  return problemOf(await ask("/reset-password", { token, newPassword }, { 400: gone }));
};

/** Changes the password and ends every other session. Returns null, or what to tell the person. */
export const changePassword = async (current: string, chosen: string): Promise<string | null> => {
  const wrong = "The current password is incorrect.";
  const body = { currentPassword: current, newPassword: chosen };
  return problemOf(await ask("/change-password", body, { 400: wrong }));
};

/** Goes to the organisation's own sign-in. Returns what to tell the person when that fails. */
export async function signInWithOidc(next: string): Promise<string> {
  const answer = await ask("/sign-in/oidc", { next });
  if ("problem" in answer) return answer.problem;
  const url = textIn(answer.body, "url");
  if (url) goToExternal(url);
  return "";
}

/** Ends the session on the server. Throws when that did not happen. */
export async function signOut(): Promise<void> {
  const response = await post("/sign-out", {});
  if (!response.ok) throw new Error(`The server answered ${response.status}`);
}
