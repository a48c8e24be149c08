"use client";

import { useState } from "react";
import { useIsOperator } from "#app/_lib/use-may.ts";
import { Sheet } from "#app/_ui/sheet.tsx";
import type { ProviderProbe } from "#contract/provider-probe.ts";
import { ProbeForm } from "./probe-form.tsx";
import { type Added, ProviderForm } from "./provider-form.tsx";
import { TryPanel } from "./try-panel.tsx";

interface Found {
  readonly probe: ProviderProbe;
  readonly credential: string;
}

/** Adds a provider in three steps: its address, what is known of it, and a first request. */
export function AddProviderSheet({ onClose }: { onClose: () => void }) {
  const operator = useIsOperator();
  const [found, setFound] = useState<Found | null>(null);
  const [added, setAdded] = useState<Added | null>(null);
  return (
    <Sheet title={added ? `Try ${added.name}` : "Add a provider"} onClose={onClose}>
      {added ? (
        <TryPanel added={added} onDone={onClose} />
      ) : found ? (
        <ProviderForm {...found} operator={operator} onAdded={setAdded} onBack={() => setFound(null)} />
      ) : (
        <ProbeForm onFound={(probe, credential) => setFound({ probe, credential })} />
      )}
    </Sheet>
  );
}
