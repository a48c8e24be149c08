import { appRouter } from "#server/api/root.ts";
import { compileRoutes } from "#server/http/route-table.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import type { Browser } from "./browser.ts";
import { inputOf, operations, type PlannedOperation } from "./operation-plans.ts";
import type { PopulatedOrganisation } from "./populated-organisation.ts";
import type { TestServer } from "./server.ts";

const routes = compileRoutes(appRouter);

/** One way to ask for something. */
export interface Entry {
  readonly name: string;
  ask(): Promise<Response>;
}

/** Who asks: a program with the key of one organisation, and a person signed in with a password. */
export interface Asking {
  readonly server: TestServer;
  readonly ours: PopulatedOrganisation;
  readonly browser: Browser;
  readonly email: string;
  readonly password: string;
}

function restEntry({ server: { send }, ours }: Asking, operation: PlannedOperation): Entry | null {
  const route = routes.find(({ procedure }) => procedure === operation.name);
  if (!route) return null;
  return {
    name: `${route.method} ${route.path}`,
    ask() {
      const input = inputOf(operation, ours);
      const path = route.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(input[name])));
      const isRead = route.method === "GET" || route.method === "DELETE";
      const rest = Object.entries(input).filter(([name]) => !route.parameters.includes(name));
      const query = new URLSearchParams(rest.map(([name, value]) => [name, String(value)]));
      return isRead
        ? send(route.method, rest.length > 0 ? `${path}?${query}` : path, { key: ours.key })
        : send(route.method, path, { key: ours.key, body: JSON.stringify(Object.fromEntries(rest)) });
    },
  };
}

const trpcEntry = ({ browser, ours }: Asking, operation: PlannedOperation): Entry => ({
  name: `/api/trpc/${operation.name}`,
  ask: () => {
    const input = inputOf(operation, ours);
    return operation.type === "mutation"
      ? browser.mutate(operation.name, input)
      : browser.query(operation.name, operation.input ? input : undefined);
  },
});

const completion = { model: "sandbox/chat", prompt: "Hello", max_tokens: 4 };
const response = { model: "sandbox/chat", input: "Hello", max_output_tokens: 4 };

/** What is no procedure and asks the database all the same. */
const others = ({ server, ours, browser, email, password }: Asking): readonly Entry[] => [
  { name: "/api/auth/sign-in/email", ask: () => browser.auth("/sign-in/email", { email, password }) },
  {
    name: "/api/auth/change-password",
    ask: () => browser.auth("/change-password", { currentPassword: password, newPassword: `${password}!` }),
  },
  {
    name: "/api/auth/reset-password",
    ask: () => browser.auth("/reset-password", { token: "A".repeat(24), newPassword: `${password}!` }),
  },
  {
    name: "/api/auth/request-password-reset",
    ask: () => browser.auth("/request-password-reset", { email }),
  },
  {
    name: "a completion with an Idempotency-Key",
    ask: () =>
      server.post("/completions", completion, { key: ours.key, headers: { "idempotency-key": uuidv7() } }),
  },
  {
    name: "a response that continues another",
    ask: () =>
      server.post("/responses", { ...response, previous_response_id: ours.responseId }, { key: ours.key }),
  },
  {
    name: "a response in the background",
    ask: () => server.post("/responses", { ...response, background: true }, { key: ours.key }),
  },
  {
    name: "the events of a response",
    ask: () => server.send("GET", `/responses/${ours.responseId}?stream=true`, { key: ours.key }),
  },
  {
    name: "a completion of the playground",
    ask: () => browser.request("POST", "/api/playground/completions", completion),
  },
];

/** Every entry: all routes of REST, all procedures of the console, sign-in, and inference that reads or writes. */
export function entriesOf(asking: Asking): readonly Entry[] {
  const procedures = operations.filter(({ name }) => !name.startsWith("inference."));
  return [
    ...procedures.map((operation) => restEntry(asking, operation)).filter((entry) => entry !== null),
    ...procedures.map((operation) => trpcEntry(asking, operation)),
    ...others(asking),
  ];
}
