"use client";

import type { ComponentProps } from "react";
import { Sheet } from "#app/_ui/sheet.tsx";
import { CredentialForm } from "./credential-form.tsx";

/** A credential at the side of the list, new or stored. */
export function CredentialSheet(form: ComponentProps<typeof CredentialForm>) {
  return (
    <Sheet title={form.saved?.name ?? "Add a provider credential"} onClose={form.onDone}>
      <CredentialForm key={form.saved?.updated_at} {...form} />
    </Sheet>
  );
}
