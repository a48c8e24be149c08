import { expect, test } from "vitest";
import { readAuditTarget } from "./target.ts";

test.each([
  ["https://siem.example/hook?a=1", { kind: "json", url: new URL("https://siem.example/hook?a=1") }],
  ["http://10.0.0.5:8088/", { kind: "json", url: new URL("http://10.0.0.5:8088/") }],
  ["otlp+https://collector.example", { kind: "otlp", url: new URL("https://collector.example/v1/logs") }],
  ["otlp+http://127.0.0.1:4318/custom", { kind: "otlp", url: new URL("http://127.0.0.1:4318/custom") }],
  ["syslog+tls://siem.example", { kind: "syslog", host: "siem.example", port: 6514, isSecure: true }],
  ["syslog+tcp://[fd00::5]:1514", { kind: "syslog", host: "fd00::5", port: 1514, isSecure: false }],
])("the receiver %s is read", (text, target) => {
  expect(readAuditTarget(text)).toEqual(target);
});

test.each([
  ...[
    "siem.example",
    "ftp://siem.example",
    "https://ada:secret@siem.example",
    "syslog+tls://",
    "udp://siem.example",
  ],
  ...["otlp://siem.example", "https://siem.example#a", "", "otlp+https://", "constructor://a"],
])("%j is no receiver", (text) => {
  expect(readAuditTarget(text)).toBeNull();
});
