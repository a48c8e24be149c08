import { expect } from "vitest";
import type { z } from "zod";
import { data } from "#contract/common.ts";
import { ErrorEnvelope } from "#contract/errors.ts";
import { RoutingRule } from "#contract/routing-rule.ts";
import type { TestServer } from "./server.ts";

/** The body of an answer of this status, read by its schema. */
export async function answer<T extends z.ZodType>(
  schema: T,
  response: Response,
  status = 200,
): Promise<z.infer<T>> {
  const body = await response.json();
  expect([response.status, body]).toEqual([status, body]);
  return schema.parse(body);
}

/** The error of an answer of this status that names this parameter. */
export async function refusal(response: Response, status: number, param: string | null) {
  const { error } = ErrorEnvelope.parse(await response.json());
  expect([response.status, error.param]).toEqual([status, param]);
  return error;
}

export const Rule = data(RoutingRule);

/** Requests to paths under `/routing-rules`, by default with `ownKey`. */
export function ruleClient(server: TestServer, ownKey: string) {
  const call = (method: string, path: string, body?: unknown, key = ownKey) =>
    server.send(method, `/routing-rules${path}`, {
      key,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const create = async (body: object, key?: string) =>
    (await answer(Rule, await call("POST", "", body, key), 201)).data;
  return { call, create };
}
