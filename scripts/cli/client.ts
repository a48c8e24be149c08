import { type Json, Problem, type Request, rowsIn } from "./command.ts";

async function send({ method, path, body }: Request): Promise<Json> {
  const { PORTOLAN_URL = "http://localhost:3000", PORTOLAN_API_KEY } = process.env;
  if (!PORTOLAN_API_KEY) throw new Problem("Set PORTOLAN_API_KEY to an API key of the server.");
  const url = `${PORTOLAN_URL.replace(/\/$/, "")}/api/v1${path}`;
  const headers = { authorization: `Bearer ${PORTOLAN_API_KEY}`, "content-type": "application/json" };
  const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) }).catch(
    () => {
      throw new Problem(`No server answers at ${PORTOLAN_URL}.`);
    },
  );
  const answer = (await response.json()) as Json;
  if (response.ok) return answer;
  const { message } = answer.error as { message: string };
  throw new Problem(`${message} (${response.status}, request ${answer.requestId})`);
}

/** Sends a request. An answer with several pages (`next`) is read to its end and returned as one. */
export async function sendAll(call: Request): Promise<Json> {
  const { next, ...answer } = await send(call);
  const rows = typeof next === "string" ? [...rowsIn(answer)] : [];
  for (let after = next; typeof after === "string"; ) {
    const page = await send({ ...call, path: `${call.path}&${new URLSearchParams({ after })}` });
    rows.push(...rowsIn(page));
    after = page.next;
  }
  return rows.length > 0 ? { ...answer, data: rows } : answer;
}
