import { beforeAll, expect, test } from "vitest";
import { mintKey } from "#server/keys/index.ts";
import { directoryOfFile } from "#test/directories.ts";
import { answerTo, ask, type RawAnswer } from "../process/raw-request.ts";
import { type ServerProcess, startGateway } from "./gateway-process.ts";
import { freePort } from "./installation.ts";
import { probeHealth } from "./probe-health.ts";

/** The whole server as it runs in production, pages included. */
let gateway: ServerProcess & { origin: string };
const settings = {
  DATA_DIR: directoryOfFile(),
  ADMIN_API_KEY: mintKey("ptl"),
  RATE_LIMIT_PUBLIC: "0",
  RATE_LIMIT_AUTH: "0",
};

beforeAll(async () => {
  gateway = await startGateway(await freePort(), { ...settings, RATE_LIMIT_PAGES: "0" });
  return () => gateway.end("SIGKILL");
}, 120_000);

/** One path of everything that answers. */
const entries = [
  "/",
  "/keys",
  "/sign-in",
  "/auth",
  "/docs",
  "/icon.svg",
  "/_next/static/chunks/x.js",
  "/_next/image",
  "/_global-error",
  "/_not-found",
  "/no-such-page",
  "/health/live",
  "/metrics",
  "/api/v1/models",
  "/v1/models",
  "/api/v1/completions",
  "/api/trpc/session.get",
  "/api/auth/get-session",
  "/api/playground/completions",
];

/** Ways to write a target that people do not write. */
const forms: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => `//evil.example${path}`,
  (path) => `///evil.example${path}`,
  (path) => `/\\evil.example${path}`,
  (path) => `/%2f%2fevil.example${path}`,
  (path) => `/%5cevil.example${path}/`,
  (path) => `http://evil.example${path}`,
  (path) => `https://evil.example@localhost${path}`,
  (path) => `http://localhost${path}`,
  (path) => `http://localhost//evil.example${path}`,
  (path) => `${path}/`,
  (path) => `${path}//`,
  (path) => `${path}//evil.example/`,
  (path) => `${path}/..`,
  (path) => `${path}/%2e%2e/%2e%2e/etc/passwd`,
  (path) => `${path}/..%5c..%5cetc`,
  (path) => `${path}%00`,
  (path) => `${path}%`,
  (path) => `${path}%ff`,
  (path) => `${path};evil.example`,
  (path) => `${path}?next=//evil.example&_rsc=1`,
  (path) => `${path}?%`,
  (path) => `${path}.rsc`,
  (path) => path.slice(1),
  () => "*",
];
const methods = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"];

const isOwnPlace = (location: string): boolean => /^\/(?![/\\])/.test(location);

test.each(entries)(
  "a request for %s, however it is written, causes no server error and no redirect elsewhere",
  { timeout: 120_000 },
  async (path) => {
    for (const form of forms) {
      const target = form(path);
      const asked = methods.flatMap((method) =>
        ["localhost", "evil.example"].map((host) => [method, host] as const),
      );
      await Promise.all(
        asked.map(async ([method, host]) => {
          const headers = [`Host: ${host}`, "Connection: close", "Content-Length: 0"];
          const { status, headers: answered } = await ask(gateway.origin, `${method} ${target}`, headers);
          const said = `${method} ${target} at ${host}: ${status}`;
          expect(status, said).toBeGreaterThanOrEqual(200);
          expect(status, said).toBeLessThan(500);
          expect(isOwnPlace(answered.get("location") ?? "/"), `${said}, ${answered.get("location")}`).toBe(
            true,
          );
        }),
      );
    }
  },
);

test("a request that names another host, or several, is refused, and OPTIONS * is answered", async () => {
  const status = async (...request: Parameters<typeof ask> extends [string, ...infer Rest] ? Rest : never) =>
    (await ask(gateway.origin, ...request)).status;
  expect(await status("GET http://evil.example/keys")).toBe(400);
  expect(await status("GET http://localhost/keys")).toBe(200);
  expect(await status("GET *")).toBe(400);
  expect(await status("OPTIONS *")).toBe(204);
  expect(await status("GET /keys", ["Host: a", "Host: a", "Connection: close"])).toBe(400);
});

/** By which Next talks to itself, to its hosts and to parts of itself in other processes. */
const internalHeaders: Record<string, string> = {
  "x-middleware-prefetch": "1",
  "x-middleware-rewrite": "http://evil.example/",
  "x-middleware-redirect": "http://evil.example/",
  "x-middleware-next": "1",
  "x-middleware-skip": "1",
  "x-middleware-refresh": "1",
  "x-middleware-subrequest": "middleware:middleware:middleware:middleware:middleware",
  "x-middleware-invoke": "1",
  "x-middleware-override-headers": "host",
  "x-middleware-request-host": "evil.example",
  "x-middleware-set-cookie": "a=b",
  "x-nextjs-data": "1",
  "x-nextjs-matched-path": "/_error",
  "x-nextjs-rewrite": "/keys",
  "x-nextjs-html-request-id": "x",
  "x-nextjs-request-id": "x",
  "x-invoke-path": "/_error",
  "x-invoke-status": "500",
  "x-invoke-error": "{}",
  "x-invoke-query": "{}",
  "x-invoke-output": "/_error",
  "x-matched-path": "/_error",
  "x-now-route-matches": "1=a",
  "x-prerender-revalidate": "1",
  "x-prerender-revalidate-if-generated": "1",
  "x-next-cache-tags": "a",
  "x-next-revalidated-tags": "a",
  "x-next-revalidate-tag-token": "a",
  "x-next-resume-state-length": "2",
  "next-resume": "1",
  "next-action": "a".repeat(42),
  "next-hmr-refresh": "1",
  "x-action-forwarded": "1",
  "x-vercel-id": "a",
  "x-forwarded-host": "evil.example",
  "x-forwarded-proto": "https",
  "x-forwarded-port": "1",
  purpose: "prefetch",
  "content-security-policy": "script-src 'nonce-own'",
  cookie: "__prerender_bypass=a; __next_preview_data=b; next-instant-navigation-testing=1",
  "user-agent": "Googlebot",
};

/** An answer without what differs between any two. */
const comparable = ({ status, headers, body }: RawAnswer) => {
  const nonce = /'nonce-([\w-]+)'/.exec(headers.get("content-security-policy") ?? "")?.[1] ?? "";
  const marks = [nonce, headers.get("x-request-id") ?? ""].filter(Boolean);
  const blank = (text: string) => marks.reduce((rest, mark) => rest.replaceAll(mark, "…"), text);
  const rest = [...headers].filter(([name]) => name !== "date").map(([name, value]) => [name, blank(value)]);
  return { status, headers: rest, body: blank(body) };
};

test.each(["/", "/sign-in", "/keys?q=1", "/auth?a=b", "/no-such-page", "/icon.svg"])(
  "%s is the same with every header by which Next talks to itself",
  { timeout: 60_000 },
  async (path) => {
    const usual = ["Host: localhost", "Connection: close"];
    const get = async (...more: string[]) =>
      comparable(await ask(gateway.origin, `GET ${path}`, [...usual, ...more]));
    const expected = await get();
    for (const [name, value] of Object.entries(internalHeaders))
      expect(await get(`${name}: ${value}`), name).toEqual(expected);
    const all = Object.entries(internalHeaders).map(([name, value]) => `${name}: ${value}`);
    expect(await get(...all)).toEqual(expected);
  },
);

test.each(["/_global-error", "/_not-found", "/_error", "/500", "/404", "/_document"])(
  "%s, by which Next shows errors, cannot be requested or cached",
  async (path) => {
    const { status, headers } = await ask(gateway.origin, `GET ${path}`);
    expect([status, headers.get("cache-control")]).toEqual([404, expect.stringContaining("no-store")]);
  },
);

test("apart from public lists, caches may store no answer to a request without a key", async () => {
  for (const path of entries) {
    const { headers } = await ask(gateway.origin, `GET ${path}`);
    const stored = headers.get("cache-control") ?? "no-store";
    if (/models/.test(path)) continue;
    expect(stored, path).toMatch(/no-store|max-age=0/);
  }
});

test("2,000 simultaneous page requests delay nobody else, and their number is limited", {
  timeout: 120_000,
}, async () => {
  const limited = await startGateway(await freePort(), {
    ...settings,
    DATA_DIR: `${settings.DATA_DIR}/limited`,
  });
  try {
    const answers = probeHealth(limited);
    const request = "GET /sign-in HTTP/1.1\r\nHost: x\r\n\r\n";
    const last = "GET /sign-in HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    const text = await answerTo(limited.origin, request.repeat(1_999) + last, 60_000);
    const statuses = text.match(/HTTP\/1\.1 \d+/g) ?? [];
    expect(statuses).toHaveLength(2_000);
    expect(statuses.filter((status) => status.endsWith("200"))).toHaveLength(300);
    expect(statuses.filter((status) => status.endsWith("429"))).toHaveLength(1_700);
    expect(await answers.worstMs()).toBeLessThan(250);
  } finally {
    await limited.end("SIGKILL");
  }
});
