import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Everything a server answers to these bytes until it ends the connection, which it must within `withinMs`. */
export async function answerTo(origin: string, sent: string, withinMs = 10_000): Promise<string> {
  const socket = connect(Number(new URL(origin).port), "127.0.0.1");
  const patience = setTimeout(() => socket.destroy(new Error(`No end of: ${sent}`)), withinMs);
  await once(socket, "connect");
  socket.write(sent);
  const answer = await text(socket);
  clearTimeout(patience);
  return answer;
}

/** The head and body of the first answer in a text. */
export function readAnswer(answer: string): RawAnswer {
  const [head = "", ...body] = answer.split("\r\n\r\n");
  const [line = "", ...fields] = head.split("\r\n");
  const headers = new Headers(
    fields.map((field): [string, string] => {
      const colon = field.indexOf(":");
      return [field.slice(0, colon), field.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]), headers, body: body.join("\r\n\r\n") };
}

/** Sends one request as it is written, on a connection of its own. */
export const ask = async (
  origin: string,
  line: string,
  headers: readonly string[] = ["Host: localhost", "Connection: close"],
): Promise<RawAnswer> =>
  readAnswer(await answerTo(origin, `${[`${line} HTTP/1.1`, ...headers].join("\r\n")}\r\n\r\n`));
