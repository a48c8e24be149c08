"use client";

import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { toastDone, toastFailure } from "../_ui/toast.tsx";
import { useMutation } from "./use-mutation.ts";

interface Change {
  readonly id: string;
  readonly enabled: boolean;
}

/** What a list of things that can be switched has in common. */
interface Switchable {
  readonly data: readonly { readonly id: string }[];
}

/**
 * Switches one row of a list on or off: shown at once, put back when the server refuses, undone by the toast.
 * `save` asks the server; `shown` are the fields of a row that show whether it is on.
 */
export function useEnabledSwitch(
  queryKey: QueryKey,
  save: (change: Change) => Promise<unknown>,
  shown: (enabled: boolean) => object = (enabled) => ({ enabled }),
) {
  const queryClient = useQueryClient();
  const show = ({ id, enabled }: Change) =>
    queryClient.setQueryData<Switchable>(
      queryKey,
      (list) =>
        list && {
          ...list,
          data: list.data.map((row) => (row.id === id ? { ...row, ...shown(enabled) } : row)),
        },
    );
  const update = useMutation({
    mutationFn: save,
    onMutate: async (change) => {
      await queryClient.cancelQueries({ queryKey });
      show(change);
    },
    onError: (error, { id, enabled }) => {
      show({ id, enabled: !enabled });
      return toastFailure(error);
    },
    onSettled: () => queryClient.invalidateQueries(),
  });
  return ({ id, name }: { readonly id: string; readonly name: string }, enabled: boolean): void => {
    const undo = () => update.mutate({ id, enabled: !enabled });
    const onSuccess = () => void toastDone(`${name} is ${enabled ? "enabled" : "disabled"}.`, undo);
    update.mutate({ id, enabled }, { onSuccess });
  };
}
