import { expect } from "vitest";

/** How long a client waits at most for the answer that the database is unavailable. */
export const withinMs = 3_000;

interface Envelope {
  readonly error: { readonly code: string; readonly metadata?: { readonly status: number } };
}

/** The envelope of REST, or that of tRPC around it. */
function codeIn(json: string): string {
  const body = JSON.parse(json) as Envelope & { error: { data?: Envelope } };
  return body.error.data?.error.code ?? body.error.code;
}

/** A 503 with `Retry-After`, in the envelope, without any statement. */
export async function expectUnavailable(answered: Response, name: string): Promise<void> {
  const text = await answered.text();
  expect(`${name}: ${answered.status} ${text.slice(0, 200)}`).toMatch(/: 503 /);
  expect(Number(answered.headers.get("retry-after")), name).toBeGreaterThanOrEqual(1);
  expect(codeIn(text), name).toBe("SERVICE_UNAVAILABLE");
  expect(text).not.toMatch(/secret_column|hidden_table|prisma|pg_|stack/i);
}
