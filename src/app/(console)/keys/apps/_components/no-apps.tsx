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

/** How an app is connected, for its developers. */
export function NoApps() {
  // Known only in the browser.
  const [origin, setOrigin] = useState("");
  useEffect(() => setOrigin(window.location.origin), []);
  return (
    <EmptyState
      title="No connected apps"
      text={
        <>
          An app can request its own key and never sees your password. It sends your browser to this address
          (authorization code with PKCE). You set the key's limit and expiry, then allow or deny the request.
          <Box ta="left" mt="sm">
            <CodeBlock label="authorization URL" code={origin + beginning} />
          </Box>
        </>
      }
    >
      <Button component={Link} href="/docs/guides/connect-your-app" variant="default" size="xs">
        How to connect an app
      </Button>
    </EmptyState>
  );
}
