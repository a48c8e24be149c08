/**
 * Node's flags for the server.
 * - A large young generation lets a request's objects die there. It saves a sixth of the CPU at 32 connections, and takes
 *   about 100 MB more memory under load.
 * - The server starts with a small one, because it returned memory. The factor makes it grow in seconds, not minutes.
 * - V8 would make the heap smaller 8 s after each load, which costs up to 60 % more CPU in the next seconds. The server
 *   returns memory itself, after a longer pause (`limits.memory`).
 */
export const serverFlags = [
  "--max-semi-space-size=64",
  "--semi-space-growth-factor=16",
  "--no-memory-reducer",
];

/**
 * The environment of the server, unless it is set already: how the C library of most Linux distributions (glibc) keeps
 * freed memory. By itself it has up to eight areas per core, one for each thread, and returns little of them.
 */
export const serverEnvironment = { MALLOC_ARENA_MAX: "2", MALLOC_TRIM_THRESHOLD_: "131072" };
