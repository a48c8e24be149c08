import { QueryClient, QueryClientProvider, type UseMutationResult } from "@tanstack/react-query";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test, vi } from "vitest";
import { useMutation } from "./use-mutation.ts";

type Grant = UseMutationResult<void, Error, number>;

interface PageProps {
  readonly send: (amount: number) => Promise<void>;
  readonly onGrant: (grant: Grant) => void;
}

function Page({ send, onGrant }: PageProps) {
  onGrant(useMutation({ mutationFn: send }));
  return null;
}

/** A mutation on a page, what it sent so far, and a way to let all of that end. */
function mounted() {
  const ends: ((error?: Error) => void)[] = [];
  const sent: number[] = [];
  const grants: Grant[] = [];
  const send = (amount: number) =>
    new Promise<void>((resolve, reject) => {
      sent.push(amount);
      ends.push((error) => (error ? reject(error) : resolve()));
    });
  const page = createElement(Page, { send, onGrant: (grant) => void grants.push(grant) });
  renderToStaticMarkup(createElement(QueryClientProvider, { client: new QueryClient() }, page));
  const [grant] = grants;
  if (!grant) throw new Error("the page was not rendered");
  return { grant, sent, end: (error?: Error) => ends.splice(0).forEach((one) => void one(error)) };
}

const nextTask = () => new Promise((resolve) => setTimeout(resolve));

test("a double click sends one request, and both clicks get its answer", async () => {
  const { grant, sent, end } = mounted();
  const both = Promise.all([grant.mutateAsync(5), grant.mutateAsync(5)]);
  grant.mutate(5);
  await nextTask();
  expect(sent).toEqual([5]);
  end();
  await both;
});

test.each([undefined, new Error("refused")])("once it has ended (%s) it can be sent again", async (error) => {
  const { grant, sent, end } = mounted();
  grant.mutate(5);
  await nextTask();
  end(error);
  await nextTask();
  grant.mutate(5);
  await vi.waitFor(() => expect(sent).toEqual([5, 5]));
});

test("a call with other arguments does not wait, nor one after a reset", async () => {
  const { grant, sent } = mounted();
  grant.mutate(5);
  grant.mutate(6);
  grant.reset();
  grant.mutate(6);
  await nextTask();
  expect(sent).toEqual([5, 6, 6]);
});
