"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { toastDone } from "#app/_ui/toast.tsx";
import type { Destination, DestinationTest, DestinationType } from "#contract/destination.ts";
import { configOf, fieldsOf } from "./config-schema.ts";
import { bodyOf, type Draft, draftOf, newDraft } from "./draft.ts";

export interface DestinationFormProps {
  readonly type: DestinationType;
  /** Undefined for a new one. */
  readonly saved?: Destination | undefined;
  readonly onDone: () => void;
}

/** The draft of a destination, with what can be done with it: testing, saving, deleting. */
export function useDestinationForm({ type, saved, onDone }: DestinationFormProps) {
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const fields = fieldsOf(type);
  const [initial] = useState<Draft>(saved ? draftOf(saved, fields) : newDraft(type.name, fields));
  const [draft, setDraft] = useState(initial);

  const done = async (message: string) => {
    await queryClient.invalidateQueries();
    onDone();
    await toastDone(message);
  };
  const save = useMutation({
    mutationFn: async (): Promise<Destination> => {
      const body = bodyOf(draft, fields, saved);
      const { data } = saved
        ? await client.destinations.update.mutate({ id: saved.id, ...body })
        : await client.destinations.create.mutate({ type: type.type, ...body });
      return data;
    },
    onSuccess: ({ name }) => done(`${name} is ${saved ? "saved" : "added"}.`),
  });
  // A stored destination is tested as it is stored: its secrets are not in the form.
  const test = useMutation({
    mutationFn: async (): Promise<DestinationTest> => {
      const { data } = saved
        ? await client.destinations.test.mutate({ id: saved.id })
        : await client.destinations.testUnsaved.mutate({
            type: type.type,
            config: configOf(fields, draft.typed),
            name: draft.name,
          });
      return data;
    },
  });

  return {
    fields,
    draft,
    isChanged: JSON.stringify(draft) !== JSON.stringify(initial),
    change: (next: Draft) => {
      setDraft(next);
      test.reset();
    },
    test,
    save,
    remove: (id: string) => client.destinations.remove.mutate({ id }),
    done,
  };
}
