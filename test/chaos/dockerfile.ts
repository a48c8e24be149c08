import { readFileSync } from "node:fs";

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The instructions of a Dockerfile, of each stage by itself: comments left out, continued lines joined. */
export function stagesOf(file: string): readonly (readonly Instruction[])[] {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("#"))
    .join("\n")
    .replace(/\\\n\s*/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const stages: Instruction[][] = [];
  for (const line of lines) {
    const [, name = "", text = ""] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (name === "FROM") stages.push([]);
    stages.at(-1)?.push({ name, text });
  }
  return stages;
}

/** `ENV NAME=value OTHER=value`, of a whole stage. */
export const environmentOf = (stage: readonly Instruction[]): Record<string, string> =>
  Object.fromEntries(
    stage
      .filter(({ name }) => name === "ENV")
      .flatMap(({ text }) =>
        [...text.matchAll(/(\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value]),
      ),
  );

/** `COPY --from=build /app/a /app/b ./`: what is copied, relative to `/app`, and where to. */
export const copiesOf = (stage: readonly Instruction[]) =>
  stage
    .filter(({ name, text }) => name === "COPY" && text.startsWith("--from=build "))
    .map(({ text }) => {
      const paths = text.split(/\s+/).slice(1);
      return { from: paths.slice(0, -1).map((path) => path.replace(/^\/app\//, "")), to: paths.at(-1) ?? "" };
    });

/** The command of `CMD` or `HEALTHCHECK`, in its form as a JSON array. */
export function commandOf(stage: readonly Instruction[], name: string): readonly string[] {
  const found = stage.findLast((instruction) => instruction.name === name)?.text ?? "";
  return JSON.parse(found.slice(found.indexOf("["))) as string[];
}
