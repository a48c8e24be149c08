import type { Console } from "#server/http/console.ts";

/** Stands in for the console in tests of the other handlers: Next is neither built nor started for them. */
export async function createConsole(): Promise<Console> {
  return {
    async page(_req, res) {
      res.writeHead(404, { "content-type": "text/plain" }).end("no console in this test");
    },
    upgrade: null,
    close: async () => {},
  };
}
