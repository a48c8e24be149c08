import net from "node:net";
import tls from "node:tls";

interface SyslogOptions {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  readonly timeoutMs: number;
}

/**
 * Sends frames over a connection of their own. Syslog has no answers: resolves when the receiver has closed the
 * connection without an error. Rejects if it cannot be reached, or if it takes too long.
 */
export const sendSyslog = (
  { host, port, isSecure, timeoutMs }: SyslogOptions,
  frames: string,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = isSecure
      ? tls.connect({ host, port, ...(net.isIP(host) === 0 && { servername: host }) })
      : net.connect({ host, port });
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`It took longer than ${timeoutMs} ms`)));
    socket.once("error", reject);
    socket.once("close", (failed) => {
      if (!failed) resolve();
    });
    // What a receiver says is read, or the connection would not end.
    socket.resume();
    socket.end(frames);
  });
