import { expect, test } from "vitest";
import { curl } from "./curl.ts";

test("a body with quotes stays one argument of the shell", () => {
  const command = curl({
    method: "POST",
    url: "http://localhost/x",
    withKey: true,
    body: { prompt: "it's" },
  });
  expect(command).toContain(`-d '{\n  "prompt": "it'\\''s"\n}'`);
  expect(command).toContain('-H "Authorization: Bearer $PORTOLAN_API_KEY"');
});

test("reading something open needs neither key nor body", () => {
  expect(curl({ method: "GET", url: "http://localhost/x", withKey: false })).toBe(
    "curl 'http://localhost/x'",
  );
});
