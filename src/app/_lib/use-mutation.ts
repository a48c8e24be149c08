"use client";

import {
  type DefaultError,
  hashKey,
  type UseMutationOptions,
  type UseMutationResult,
  useMutation as useAnyMutation,
} from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { onceAtATime } from "./once-at-a-time.ts";

/**
 * TanStack's, but a second click on the same thing while it is under way does nothing: `isPending` reaches the
 * button only with the next rendering, and a double click is faster.
 */
export function useMutation<Data = unknown, Err = DefaultError, Variables = void, Context = unknown>(
  options: UseMutationOptions<Data, Err, Variables, Context>,
): UseMutationResult<Data, Err, Variables, Context> {
  type Mutation = UseMutationResult<Data, Err, Variables, Context>;
  const mutation = useAnyMutation(options);
  const [once] = useState(() => onceAtATime<Data>());
  const { mutateAsync: send, reset: forget } = mutation;
  const mutateAsync = useCallback<Mutation["mutateAsync"]>(
    (...args) => once.run(hashKey([args[0]]), () => send(...args)),
    [once, send],
  );
  // As TanStack's own: what failed stands in `error`, and the promise is nobody's.
  const mutate = useCallback<Mutation["mutate"]>(
    (...args) => void mutateAsync(...args).catch(() => {}),
    [mutateAsync],
  );
  const reset = useCallback(() => {
    once.forget();
    forget();
  }, [once, forget]);
  return { ...mutation, mutate, mutateAsync, reset };
}
