import { type SettingSection, settingDocs } from "#server/platform/setting-types.ts";
import { renamedSettings, Settings, settingSections } from "#server/platform/settings.ts";
import { markdownTable } from "./markdown-table.ts";

const lineLengthMax = 110;
const defaults: Record<string, unknown> = Settings.parse({});

interface DocumentedSetting {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  /** As it would be written in the environment; empty when there is none. */
  readonly defaultValue: string;
  readonly fallback: string;
}

function documented(section: SettingSection): DocumentedSetting[] {
  return Object.entries(section.settings).map(([name, schema]) => {
    const docs = settingDocs.get(schema);
    if (!docs) throw new Error(`The setting ${name} has no description`);
    const { description, example = "", fallback = "" } = docs;
    return { name, description, example, fallback, defaultValue: String(defaults[name] ?? "") };
  });
}

function sectionAsMarkdown(section: SettingSection): string {
  const rows = documented(section).map(({ name, description, defaultValue, fallback }) => [
    `\`${name}\``,
    defaultValue ? `\`${defaultValue}\`` : fallback,
    description,
  ]);
  const note = section.note ? [section.note] : [];
  const table = markdownTable([["Variable", "Default", "Meaning"], ...rows]);
  return [`## ${section.title}`, ...note, table].join("\n\n");
}

function settingsPage(): string {
  const renamed = markdownTable([
    ["Old name", "New name"],
    ...Object.entries(renamedSettings).map(([oldName, newName]) => [`\`${oldName}\``, `\`${newName}\``]),
  ]);
  return `${[
    "<!-- Generated from src/server/platform/settings.ts by npm run generate. Do not edit. -->",
    "# Settings",
    "Settings are environment variables. `npm start` also reads `.env` and `.env.local`; start with a copy of [.env.example](../.env.example). Every setting has a default or is optional. If a value is wrong, the server does not start and lists everything that has to be corrected.",
    ...settingSections.map(sectionAsMarkdown),
    "## Renamed settings",
    "Old names are still read, and the server logs a warning when it starts. If both names are set, the new one is used.",
    renamed,
  ].join("\n\n")}\n`;
}

/** Markdown as the plain text of a comment. */
const plain = (text: string): string =>
  text.replace(/\[([^\]]+)\]\(([^)]+)\)/g, "docs/$2").replaceAll("`", "");

function comment(text: string): string[] {
  const lines: string[] = [];
  let line = "#";
  for (const word of plain(text).split(" ")) {
    if (line.length + 1 + word.length > lineLengthMax) {
      lines.push(line);
      line = "#";
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}

/** Settings without a default are commented out, and NODE_ENV, which the npm scripts set. */
function assignment({ name, defaultValue, example }: DocumentedSetting): string {
  if (!defaultValue) return `# ${name}=${example}`;
  return name === "NODE_ENV" ? `# ${name}=${defaultValue}` : `${name}=${defaultValue}`;
}

function envExample(): string {
  const sections = settingSections.map((section) =>
    [
      `# ── ${section.title}`,
      ...(section.note ? comment(section.note) : []),
      ...documented(section).flatMap((setting) => [...comment(setting.description), assignment(setting)]),
    ].join("\n"),
  );
  const head = [
    ...comment("Generated from src/server/platform/settings.ts by npm run generate. Do not edit."),
    ...comment(
      "Portolan reads its settings from the environment; npm start also reads .env and .env.local. Everything has a default: copy this file to .env only to change something.",
    ),
  ].join("\n");
  return `${[head, ...sections].join("\n\n")}\n`;
}

/** Path in the repository → content. */
export const settingDocuments = (): Record<string, string> => ({
  "docs/settings.md": settingsPage(),
  ".env.example": envExample(),
});
