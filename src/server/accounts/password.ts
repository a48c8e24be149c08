import { argon2, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { verifyPassword as verifyScrypt } from "better-auth/crypto";
import { AppError } from "#server/platform/errors.ts";
import { randomToken } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";

/** Argon2id as OWASP advises: 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const form = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([\w-]{22})\$([\w-]{43})$/;
const derive = promisify(argon2);

const { parallelMax, waitingMax } = limits.passwords;
let running = 0;
const waiting: (() => void)[] = [];

/**
 * Hashing is deliberately expensive: few at a time and a bounded queue, so that guessing cannot use up the server.
 */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < parallelMax) running += 1;
  else if (waiting.length >= waitingMax) {
    throw new AppError("SERVICE_UNAVAILABLE", "Too many sign-ins at once. Try again in a moment.", {
      headers: { "retry-after": "2" },
    });
  } else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

const digest = (password: string, salt: string): Promise<Buffer> =>
  derive("argon2id", {
    message: Buffer.from(password.normalize("NFKC")),
    nonce: Buffer.from(salt, "base64url"),
    tagLength: 32,
    ...cost,
  });

/** Returns the password in its stored form. */
export const hashPassword = (password: string): Promise<string> =>
  inTurn(async () => {
    const salt = randomToken(16);
    return `$argon2id$v=19$m=19456,t=2,p=1$${salt}$${(await digest(password, salt)).toString("base64url")}`;
  });

/** Whether the password matches the stored one. Hashes of earlier versions (scrypt) are still accepted. */
export const verifyPassword = ({ hash, password }: { hash: string; password: string }): Promise<boolean> =>
  inTurn(async () => {
    const [, salt, expected] = form.exec(hash) ?? [];
    if (salt === undefined || expected === undefined) return verifyScrypt({ hash, password });
    return timingSafeEqual(await digest(password, salt), Buffer.from(expected, "base64url"));
  });
