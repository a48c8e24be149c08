import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { type ErrorCode, errorTable } from "#contract/errors.ts";
import type { AppRouter } from "#server/api/root.ts";

type Inputs = inferRouterInputs<AppRouter>;
type Outputs = inferRouterOutputs<AppRouter>;
type Area = keyof Outputs & keyof Inputs;

/** What procedures answer, by area and name, typed by the router of the server. */
export type Answers = {
  readonly [A in Area]?: {
    readonly [P in keyof Outputs[A] & keyof Inputs[A]]?: (
      input: Inputs[A][P],
    ) => Outputs[A][P] | Promise<Outputs[A][P]>;
  };
};

/** One call that reached the server. */
export interface Call {
  /** `keys.create` */
  readonly path: string;
  readonly input: unknown;
}

/** Thrown by an answer: the server refuses. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** An answer that refuses. */
export const refusing = (code: ErrorCode, message: string) => (): never => {
  throw new Refusal(code, message);
};

/** A list as the server answers it, complete. */
export const listOf = <Row>(...data: Row[]) => ({ data, total_count: data.length });

export const requestId = "req_0000000000000001";

/** For an answer that never comes. */
export const never = (): Promise<never> => new Promise(() => {});

type Handler = (input: unknown) => unknown;

/** By its path, what answers it. A handler takes what its procedure takes: only its caller can know that. */
function handlerOf(answers: Answers, path: string): Handler | undefined {
  const [area = "", name = ""] = path.split(".");
  const found: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>> = answers;
  const handler = found[area]?.[name];
  return typeof handler === "function" ? (handler as Handler) : undefined;
}

const json = (status: number, body: unknown) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });

function refused({ code, message }: Refusal) {
  const { status, type, kind } = errorTable[code];
  const error = { code, message, type, param: null, metadata: { status, error_type: kind } };
  return json(status, { error: { message, code: -32_000, data: { httpStatus: status, error, requestId } } });
}

/** Replaces the network: procedures are answered as the server's HTTP adapter does, and recorded. */
export function serverOf(answers: Answers) {
  const calls: Call[] = [];
  /** Procedures the test has no answer for. */
  const unanswered: string[] = [];
  async function answer(address: string, body: string | null): Promise<Response> {
    const url = new URL(address);
    const path = url.pathname.split("/").at(-1) ?? "";
    const text = body ?? url.searchParams.get("input");
    const input: unknown = text ? JSON.parse(text) : undefined;
    calls.push({ path, input });
    const handler = handlerOf(answers, path);
    if (!handler) {
      unanswered.push(path);
      return refused(new Refusal("NOT_FOUND", `The test has no answer for ${path}`));
    }
    try {
      return json(200, { result: { data: await handler(input) } });
    } catch (error) {
      if (error instanceof Refusal) return refused(error);
      throw error;
    }
  }
  return {
    calls,
    unanswered,
    fetch: (address: string, body: string | null) => answer(address, body),
    /** The inputs of the calls of one procedure, in their order. */
    inputsOf: (path: string) => calls.filter((call) => call.path === path).map(({ input }) => input),
  };
}
export type Server = ReturnType<typeof serverOf>;
