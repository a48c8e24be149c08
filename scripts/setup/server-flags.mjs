/**
 * Node's flags for the server. A larger young generation lets a request's objects die there: measured at 32
 * connections it saves a sixth of the CPU, for about 100 MB more memory under load.
 */
export const serverFlags = ["--max-semi-space-size=64"];
