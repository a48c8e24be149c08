import { z } from "zod";
import { SentInvitation } from "#contract/member.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { type Browser, browserOf } from "./browser.ts";
import { answer } from "./rule-client.ts";
import type { TestServer } from "./server.ts";

export const password = "correct horse battery";

/** The token of an invitation, which is the part of its link after the `#`. */
export const tokenOf = ({ link }: SentInvitation): string => new URL(link ?? "").hash.slice(1);

/** Invites people, with the key of `home` unless another is given. */
export function invitationClient(server: TestServer, home: { readonly key: string }) {
  const call = (method: string, path: string, body?: object, key = home.key) =>
    server.send(method, path, { key, ...(body && { body: JSON.stringify(body) }) });

  async function invite(email = `${uuidv7()}@example.eu`, role = "member", key = home.key) {
    const made = await answer(SentInvitation, await call("POST", "/invitations", { email, role }, key), 201);
    return { id: made.data.id, email, token: tokenOf(made) };
  }

  const accept = (token: string, body: object = { name: "Grace", password }, by: Browser | null = null) =>
    by
      ? by.mutate("invitations.accept", { token, ...body })
      : server.post("/invitations/accept", { token, ...body }, { key: null });

  /** A new person who accepted an invitation and is signed in. */
  async function comer(role = "member", into = home) {
    const { token, email } = await invite(undefined, role, into.key);
    await answer(z.object({}), await accept(token));
    const { id: userId } = await server.services.database.prisma.user.findUniqueOrThrow({ where: { email } });
    const browser: Browser = await browserOf(server).signIn(email, password);
    return { browser, userId, email };
  }

  return { call, invite, accept, comer };
}
