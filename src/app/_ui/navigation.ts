import type { Access } from "../_lib/use-may.ts";
import type { KeyIcon } from "./icons.tsx";
import { type Restricted, type ScreenRow, screens } from "./screens.ts";

export type ScreenPath = keyof typeof screens;
export const screenPaths: readonly string[] = Object.keys(screens);

type Row = ScreenRow & { readonly path: string };

const rowOf = (path: ScreenPath): Row => ({ path, ...screens[path] });
const rows: readonly Row[] = Object.entries(screens).map(([path, screen]) => ({ path, ...screen }));
const rootOf = (row: Row): Row => rows.find(({ path }) => path === row.parent) ?? row;

const isAllowed =
  ({ permissions, operator }: Access) =>
  (restricted: Restricted): boolean =>
    (!restricted.permission || permissions.includes(restricted.permission)) &&
    (!restricted.operator || operator);

interface Entry {
  readonly path: string;
  readonly label: string;
}

interface IconEntry extends Entry {
  readonly Icon: typeof KeyIcon;
}

/** Where the link to a screen leads from one that shows `range`: to the same time range, if the screen has it. */
export function pathWithRange(path: string, range: string | null): string {
  const row = rows.find((one) => one.path === path);
  return range !== null && row?.ranges?.includes(range) ? `${path}?range=${range}` : path;
}

/** The entries of the sidebar for a person with this access. Without a session all are shown. */
export const sidebarOf = (access: Access | undefined): IconEntry[] =>
  rows
    .filter((row) => !access || isAllowed(access)(row))
    .flatMap(({ path, title, Icon }) => (Icon ? [{ path, label: title, Icon }] : []));

/** What the palette can go to. */
export const paletteScreensOf = (access: Access): (IconEntry & { readonly description: string })[] =>
  rows.filter(isAllowed(access)).flatMap((row) => {
    const { Icon } = rootOf(row);
    return Icon ? [{ path: row.path, label: row.title, description: row.description, Icon }] : [];
  });

/** What the palette can create; each opens a form of its screen. */
export const creationsOf = (access: Access): Entry[] =>
  rows.flatMap(({ path, create }) =>
    create && isAllowed(access)(create) ? [{ path: `${path}?${create.query}`, label: create.label }] : [],
  );

/** The tabs of the screen that a path belongs to; none where it has no subpages. */
export function tabsOf(path: ScreenPath, access: Access): Entry[] {
  const root = rootOf(rowOf(path));
  const tabs = rows.filter((row) => row.path === root.path || row.parent === root.path);
  if (tabs.length === 1) return [];
  return tabs.filter(isAllowed(access)).map((row) => ({ path: row.path, label: row.tab ?? row.title }));
}

/** Title and description of a screen. A subpage has the title of its parent. */
export const headingOf = (path: ScreenPath): { readonly title: string; readonly description: string } => ({
  title: rootOf(rowOf(path)).title,
  description: rowOf(path).description,
});

/** What a page exports as `metadata`: the browser's title. */
export const pageMetadata = (path: ScreenPath): { readonly title: string } => ({ title: rowOf(path).title });
