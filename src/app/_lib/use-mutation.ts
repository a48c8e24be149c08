"use client";

import {
  type DefaultError,
  hashKey,
  type UseMutationOptions,
  type UseMutationResult,
  useMutation as useAnyMutation,
} from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { singleFlight } from "./single-flight.ts";

/**
 * TanStack's, but a second click on the same thing while it is under way does nothing: `isPending` reaches the
 * button only with the next rendering, and a double click is faster.
 */
export function useMutation<Data = unknown, Err = DefaultError, Variables = void, Context = unknown>(
  options: UseMutationOptions<Data, Err, Variables, Context>,
): UseMutationResult<Data, Err, Variables, Context> {
  type Mutation = UseMutationResult<Data, Err, Variables, Context>;
  const mutation = useAnyMutation(options);
  const [flight] = useState(() => singleFlight<Data>());
  const { mutateAsync: send, reset: resetMutation } = mutation;
  const mutateAsync = useCallback<Mutation["mutateAsync"]>(
    (...args) => flight.run(hashKey([args[0]]), () => send(...args)),
    [flight, send],
  );
  // As in TanStack: the error is in `error`, and no caller has the promise.
  const mutate = useCallback<Mutation["mutate"]>(
    (...args) => void mutateAsync(...args).catch(() => {}),
    [mutateAsync],
  );
  const reset = useCallback(() => {
    flight.clear();
    resetMutation();
  }, [flight, resetMutation]);
  return { ...mutation, mutate, mutateAsync, reset };
}
