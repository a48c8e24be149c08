import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { limits } from "./limits.ts";

const letterH = 0x48;
/** An interim response begins so; 101 is none, for behind it comes another protocol. */
const interimLine = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/;
/** As long as the shortest text `interimLine` matches. */
const lineCharsMin = 13;

const startOf = (bytes: Buffer): string => bytes.toString("latin1", 0, lineCharsMin);

/** Whether more bytes are needed to tell an interim response from another, or until its end. */
const isUndecided = (bytes: Buffer): boolean =>
  bytes.length < lineCharsMin || interimLine.test(startOf(bytes));

/** `bytes` without the interim responses at its front, as far as they are whole. */
function withoutInterim(bytes: Buffer): Buffer {
  if (!interimLine.test(startOf(bytes))) return bytes;
  const end = bytes.indexOf("\r\n\r\n");
  return end === -1 ? bytes : withoutInterim(bytes.subarray(end + 4));
}

/**
 * Takes interim responses (`100 Continue`, `103 Early Hints`) out of what is read from a connection. A server may
 * send them unasked (RFC 9110, 15.2), and the client we use takes a connection on which 100 comes for broken.
 * One request at a time is expected on the connection.
 */
export function skipInterimResponses(socket: Socket | TLSSocket): void {
  if ("alpnProtocol" in socket && socket.alpnProtocol === "h2") return;
  const read = socket.read.bind(socket);
  /** What had been written when the last head came: has more been written since, another head is due. */
  let writtenAtHead = -1;
  let held: Buffer | null = null;
  socket.read = (size?: number) => {
    for (;;) {
      const chunk: Buffer | null = read(size);
      if (chunk === null) return null;
      // A head begins with this letter, and hardly any chunk of a body does.
      if (held === null && chunk[0] !== letterH) return chunk;
      if (socket.bytesWritten === writtenAtHead) return chunk;
      const rest: Buffer = withoutInterim(held === null ? chunk : Buffer.concat([held, chunk]));
      held = null;
      if (rest.length === 0) continue;
      if (!isUndecided(rest) || rest.length > limits.upstream.headerBytesMax) {
        writtenAtHead = socket.bytesWritten;
        return rest;
      }
      held = rest;
    }
  };
}
