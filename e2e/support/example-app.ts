import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A browser app of somebody else, as docs/guides/connect-your-app.md shows it. */
const page = (router: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Example app</title></head><body>
<button id="connect">Connect</button><pre id="result"></pre>
<script type="module">
const router = ${JSON.stringify(router)};
const show = (text) => { document.getElementById("result").textContent = text; };
const base64url = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

async function connect() {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const state = base64url(crypto.getRandomValues(new Uint8Array(16))) + " +&/é";
  sessionStorage.setItem("pkce", JSON.stringify({ verifier, state }));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  location.assign(router + "/api/v1/auth?" + new URLSearchParams({
    callback_url: location.origin + "/callback?from=router",
    code_challenge: base64url(digest),
    code_challenge_method: "S256",
    key_label: "Example app",
    state,
  }));
}

async function finish(answer) {
  const { verifier, state } = JSON.parse(sessionStorage.getItem("pkce"));
  if (answer.get("state") !== state) return show("state differs");
  if (answer.get("error")) return show("refused: " + answer.get("error"));
  const exchange = () => fetch(router + "/api/v1/auth/keys", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code: answer.get("code"), code_verifier: verifier }),
  });
  const response = await exchange();
  if (!response.ok) return show("exchange failed: " + response.status);
  const { key } = await response.json();
  const ask = () => fetch(router + "/api/v1/completions", {
    method: "POST",
    headers: { Authorization: "Bearer " + key, "Content-Type": "application/json" },
    body: JSON.stringify({ model: "sandbox/chat", prompt: "Say hello.", max_tokens: 8 }),
  });
  const completion = await ask();
  const account = await fetch(router + "/api/v1/key", { headers: { Authorization: "Bearer " + key } });
  const { data } = await account.json();
  show(JSON.stringify({ status: completion.status, limit: data.limit, from: answer.get("from") }));
  window.replay = async () => ({ exchange: (await exchange()).status, ask });
  window.ask = async () => (await ask()).status;
}

document.getElementById("connect").addEventListener("click", connect);
const answer = new URLSearchParams(location.search);
if (answer.has("code") || answer.has("error")) await finish(answer);
</script></body></html>`;

export interface ExampleApp {
  readonly origin: string;
  close(): Promise<void>;
}

/** Serves the app on a free port of this machine. */
export async function startExampleApp(router: string): Promise<ExampleApp> {
  const server = createServer((_, res) => {
    res.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    res.end(page(router));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
