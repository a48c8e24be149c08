import { Box } from "@mantine/core";
import classes from "./code-block.module.css";
import { CopyButton } from "./copy-button.tsx";
import { ScrollRegion } from "./scroll-region.tsx";

/** Preformatted text with a copy button. Wide text scrolls. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <Box className={classes.block}>
      <ScrollRegion className={classes.text} mah={420} label={label}>
        <pre className={classes.code}>{code}</pre>
      </ScrollRegion>
      <Box className={classes.copy}>
        <CopyButton value={code} label={`Copy ${label}`} />
      </Box>
    </Box>
  );
}
