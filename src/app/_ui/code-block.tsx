import { Box, ScrollArea } from "@mantine/core";
import classes from "./code-block.module.css";
import { CopyButton } from "./copy-button.tsx";

/** Preformatted text with a copy button. Wide text scrolls. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <Box className={classes.block}>
      <ScrollArea.Autosize
        className={classes.text}
        mah={420}
        type="auto"
        viewportProps={{ tabIndex: 0, "aria-label": label, role: "region" }}
      >
        <pre className={classes.code}>{code}</pre>
      </ScrollArea.Autosize>
      <Box className={classes.copy}>
        <CopyButton value={code} label={`Copy ${label}`} />
      </Box>
    </Box>
  );
}
