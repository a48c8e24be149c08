/** Where the audit logs of all organisations are sent. */
export type AuditTarget =
  | { readonly kind: "json" | "otlp"; readonly url: URL }
  | { readonly kind: "syslog"; readonly host: string; readonly port: number; readonly isSecure: boolean };

/** The ports of RFC 5425 and RFC 6587. */
const syslogPorts = { "syslog+tls:": 6514, "syslog+tcp:": 601 } as const;
const httpSchemes: Readonly<Record<string, "json" | "otlp">> = {
  "https:": "json",
  "http:": "json",
  "otlp+https:": "otlp",
  "otlp+http:": "otlp",
};

const isSyslog = (protocol: string): protocol is keyof typeof syslogPorts =>
  Object.hasOwn(syslogPorts, protocol);

/** The receiver of OTLP logs: below the address, unless that has a path (OTLP specification, "OTLP/HTTP Request"). */
function httpUrl(text: string): URL | null {
  const url = URL.parse(text.replace(/^otlp\+/, ""));
  if (url && text.startsWith("otlp+") && url.pathname === "/") url.pathname = "/v1/logs";
  return url;
}

/** Reads `AUDIT_EXPORT_URL`; null if it is not valid. */
export function readAuditTarget(text: string): AuditTarget | null {
  const parsed = URL.parse(text);
  if (parsed?.username !== "" || parsed.hash !== "" || parsed.hostname === "") return null;
  const { protocol, hostname, port } = parsed;
  if (isSyslog(protocol)) {
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    return {
      kind: "syslog",
      host,
      port: Number(port || syslogPorts[protocol]),
      isSecure: protocol === "syslog+tls:",
    };
  }
  const kind = httpSchemes[protocol];
  const url = kind && httpUrl(text);
  return kind && url ? { kind, url } : null;
}
