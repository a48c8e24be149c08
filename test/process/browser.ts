import { expect, vi } from "vitest";
import { RateLimits } from "#server/auth/rate-limits.ts";
import type { TestServer } from "./server.ts";

type Json = Record<string, unknown>;

/** What a browser does for a person: keeps cookies and sends what the console sends. */
export class Browser {
  readonly #origin: string;
  readonly cookies = new Map<string, string>();

  constructor({ origin }: Pick<TestServer, "origin">) {
    this.#origin = origin;
  }

  async request(method: string, path: string, body?: Json, headers: Record<string, string> = {}) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(new URL(path, this.#origin), {
      method,
      redirect: "manual",
      headers: {
        origin: this.#origin,
        "content-type": "application/json",
        ...(cookie && { cookie }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  #keep(line: string): void {
    const [pair = "", ...attributes] = line.split(";");
    const at = pair.indexOf("=");
    const ended = attributes.some((attribute) => /^ *max-age=0$/i.test(attribute));
    if (ended) this.cookies.delete(pair.slice(0, at));
    else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }

  auth(path: string, body: Json): Promise<Response> {
    return this.request("POST", `/api/auth${path}`, body);
  }

  async signIn(email: string, password: string): Promise<this> {
    const response = await this.auth("/sign-in/email", { email, password });
    expect(response.status).toBe(200);
    return this;
  }

  query(procedure: string, input?: Json): Promise<Response> {
    const query = input ? `?input=${encodeURIComponent(JSON.stringify(input))}` : "";
    return this.request("GET", `/api/trpc/${procedure}${query}`);
  }

  mutate(procedure: string, input: Json = {}): Promise<Response> {
    return this.request("POST", `/api/trpc/${procedure}`, input);
  }

  /** What a query brought. */
  async read<T>(procedure: string, input?: Json): Promise<T> {
    const response = await this.query(procedure, input);
    expect(response.status).toBe(200);
    return ((await response.json()) as { result: { data: T } }).result.data;
  }

  /** Whether its session counts: 200, or 401. */
  async sessionStatus(): Promise<number> {
    return (await this.query("session.get")).status;
  }
}

/** All tests come from one address: for a file that is about something else than its limit. */
export function ignoreAddressLimit(): void {
  vi.spyOn(RateLimits.prototype, "admitEntrance").mockResolvedValue();
}

export const browserOf = (server: TestServer): Browser => new Browser(server);
