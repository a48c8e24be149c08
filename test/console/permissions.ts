/** What the server allows each role: the console shows controls by it. */
export { permissionsOf } from "#server/access/permissions.ts";
