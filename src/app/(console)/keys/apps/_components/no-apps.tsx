"use client";

import { Box, Button } from "@mantine/core";
import Link from "next/link";
import { useEffect, useState } from "react";
import { CodeBlock } from "#app/_ui/code-block.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";

const beginning = `/api/v1/auth
  ?callback_url=https://app.example.eu/callback
  &code_challenge=…
  &code_challenge_method=S256
  &state=…`;

/** How an application comes to be connected, for whoever makes one. */
export function NoApps() {
  // Known in the browser alone.
  const [origin, setOrigin] = useState("");
  useEffect(() => setOrigin(window.location.origin), []);
  return (
    <EmptyState
      title="No app is connected"
      text={
        <>
          An app can ask you for a key of its own and never sees your password. It sends your browser to this
          address (authorization code with PKCE); you lower what the key may spend and how long it lives, and
          allow it or not.
          <Box ta="left" mt="sm">
            <CodeBlock label="address an app begins with" code={origin + beginning} />
          </Box>
        </>
      }
    >
      <Button component={Link} href="/docs#authorization-start" variant="default" size="xs">
        How to connect an app
      </Button>
    </EmptyState>
  );
}
