import { expect, test } from "vitest";
import { CallbackUrl } from "./callback-url.ts";

test.each([
  "https://app.example.eu",
  "https://app.example.eu:8443/a/b?c=d&e",
  "HTTPS://APP.EXAMPLE.EU/",
  "https://10.0.0.1/internal",
  "http://localhost:3000/callback",
  "http://127.0.0.1:1/",
  "http://[::1]:8080/x",
])("%s may be called back", (url) => {
  expect(CallbackUrl.safeParse(url).error).toBeUndefined();
});

test.each([
  "",
  "/path",
  "//evil.example",
  "https:evil.example",
  "https:///evil.example",
  "http://app.example.eu/",
  "http://localhost.evil.example/",
  "http://localhost./",
  "http://0.0.0.0/",
  "http://[::]/",
  "https://user:secret@app.example.eu/",
  "https://@app.example.eu/",
  "https://app.example.eu/#fragment",
  "https://app.example.eu/#",
  "https://app.example.eu/a b",
  "https://app.example.eu/\r\nSet-Cookie: a",
  "https://app.example.eu\\@evil.example/",
  "https://app.example.eu/\u0000",
  "javascript:alert(1)",
  "JaVaScRiPt://app.example.eu/%0aalert(1)",
  "data:text/html,x",
  "file:///etc/passwd",
  "blob:https://app.example.eu/x",
  "com.example.app:/callback",
  `https://app.example.eu/${"a".repeat(2048)}`,
])("%s may not", (url) => {
  expect(CallbackUrl.safeParse(url).success).toBe(false);
});
