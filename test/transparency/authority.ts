import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";

/** Whether this machine has the program that plays the authority. */
export function hasOpenssl(): boolean {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const configuration = `
[tsa]
default_tsa = authority
[authority]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
`;

const run = promisify(execFile);

/** Makes the key and the certificate of an authority in a directory. */
export async function makeAuthority(directory: string, algorithm: readonly string[]): Promise<void> {
  writeFileSync(join(directory, "tsa.cnf"), configuration);
  writeFileSync(join(directory, "serial"), "01\n");
  const made = [
    ...algorithm,
    "-keyout",
    "key.pem",
    "-nodes",
    "-x509",
    "-out",
    "certificate.pem",
    "-days",
    "30",
  ];
  const subject = ["-subj", "/CN=Test authority", "-addext", "extendedKeyUsage=critical,timeStamping"];
  await run("openssl", ["req", "-new", ...made, ...subject], { cwd: directory });
}

/** An answer as a time-stamping authority gives it. */
export async function answerOf(directory: string, request: Buffer): Promise<Buffer> {
  writeFileSync(join(directory, "request.tsq"), request);
  const signer = ["-signer", "certificate.pem", "-inkey", "key.pem", "-chain", "certificate.pem"];
  const args = ["ts", "-reply", "-queryfile", "request.tsq", "-config", "tsa.cnf", "-section", "authority"];
  await run("openssl", [...args, ...signer, "-out", "answer.tsr"], { cwd: directory });
  return readFileSync(join(directory, "answer.tsr"));
}

/** A time-stamping authority on loopback. `change` forges its answers. */
export async function startAuthority(directory: string, change: (answer: Buffer) => Buffer = (same) => same) {
  const requests: Buffer[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      requests.push(Buffer.concat(parts));
      const isQuery = request.headers["content-type"] === "application/timestamp-query";
      answerOf(directory, Buffer.concat(parts)).then(
        (answer) => {
          response.writeHead(isQuery ? 200 : 415, { "content-type": "application/timestamp-reply" });
          response.end(change(answer));
        },
        () => response.writeHead(500).end(),
      );
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The authority has no port");
  return {
    url: new URL(`http://127.0.0.1:${address.port}/tsr`),
    requests,
    close: () => server.close(),
  };
}
