"use client";

import { Box } from "@mantine/core";
import { useEffect, useState } from "react";
import { CodeBlock } from "#app/_ui/code-block.tsx";

/** The address that the documents use for a server, and that of the server that shows them. */
const exampleOrigin = "http://127.0.0.1:3000";

/** Code of a document, with the address of this server so that it can be copied and used. */
export function DocumentCode({ code, label }: { code: string; label: string }) {
  const [origin, setOrigin] = useState(exampleOrigin);
  useEffect(() => setOrigin(window.location.origin), []);
  return (
    <Box mb="md">
      <CodeBlock code={code.replaceAll(exampleOrigin, origin)} label={label} />
    </Box>
  );
}
