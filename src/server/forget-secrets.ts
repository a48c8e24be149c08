// npm run secrets:forget: the earlier name of secrets:purge.
import "./purge-secrets.ts";

process.stderr.write("secrets:forget is now called secrets:purge. The old name still works.\n");
