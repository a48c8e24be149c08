import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the checkout. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** What set-up and the test runner remember between runs; `npm install` leaves it alone. */
export const cacheDirectory = join(root, "node_modules", ".cache", "portolan");
/** Executables of installed packages; the first `node` found here is the pinned one. */
export const binDirectory = join(root, "node_modules", ".bin");
/** The bundled server, which `npm start` runs. */
export const bundleDirectory = join(root, ".server");
/** In the image everything is installed and built, and Node is the right one. */
export const isPrepared = process.env.PORTOLAN_PREPARED === "true";
/** The pinned Node, which everything but set-up itself runs on. */
export const pinnedNode = isPrepared
  ? process.execPath
  : join(binDirectory, process.platform === "win32" ? "node.cmd" : "node");
