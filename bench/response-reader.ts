const headEnd = "\r\n\r\n";
const chunkedEnd = "0\r\n\r\n";

export interface ReadResponse {
  readonly status: number;
  readonly text: string;
  /** The server closes the connection after this answer. */
  readonly last: boolean;
}

/** Takes the bytes of one keep-alive connection apart into responses; frugal, so that the driver costs little. */
export class ResponseReader {
  #pending = "";

  /** The response that is complete with these bytes, or undefined while some are missing. */
  push(bytes: Buffer): ReadResponse | undefined {
    this.#pending += bytes.toString("latin1");
    const headLength = this.#pending.indexOf(headEnd);
    if (headLength < 0) return undefined;
    const bodyStart = headLength + headEnd.length;
    const head = this.#pending.slice(0, headLength).toLowerCase();
    const length = /content-length: *(\d+)/.exec(head)?.[1];
    const complete =
      length === undefined
        ? this.#pending.endsWith(chunkedEnd) && this.#pending.length > bodyStart
        : this.#pending.length >= bodyStart + Number(length);
    if (!complete) return undefined;
    const response = {
      status: Number(head.slice(9, 12)),
      text: this.#pending.slice(bodyStart),
      last: head.includes("connection: close"),
    };
    this.#pending = "";
    return response;
  }
}
