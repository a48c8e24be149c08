"use client";

import { Button } from "@mantine/core";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { toastFailure } from "./toast.tsx";

interface SaveButtonProps {
  readonly label: string;
  readonly save: () => Promise<void>;
}

/** A button that reads something from the server and saves it as a file. */
export function SaveButton({ label, save }: SaveButtonProps) {
  const saving = useMutation({ mutationFn: save, onError: toastFailure });
  return (
    <Button size="xs" variant="default" loading={saving.isPending} onClick={() => saving.mutate()}>
      {label}
    </Button>
  );
}
