"use client";

import { Button } from "@mantine/core";
import { useState } from "react";
import { part } from "#app/_ui/part.tsx";
import type { TryFormProps } from "./try-form.tsx";

const TryForm = part(() => import("./try-form.tsx").then((loaded) => loaded.TryForm));

/** Sends a request to an operation from the page, once its form is opened. */
export function TryIt(props: TryFormProps) {
  const [opened, setOpened] = useState(false);
  if (opened) return <TryForm {...props} />;
  return (
    <Button size="xs" variant="default" style={{ alignSelf: "start" }} onClick={() => setOpened(true)}>
      Try it
    </Button>
  );
}
