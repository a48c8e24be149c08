import { onTestFinished, vi } from "vitest";

interface AuthCall {
  readonly path: string;
  readonly body: unknown;
}

/** Answers every call of the sign-in API with one status and body, and records the calls. */
export function answerAuth(status: number, body: unknown) {
  const calls: AuthCall[] = [];
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    calls.push({ path, body: JSON.parse(String(init.body)) });
    return new Response(JSON.stringify(body), { status });
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return calls;
}
