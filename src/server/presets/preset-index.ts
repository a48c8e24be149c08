import type { NamedPreset } from "#contract/preset-name.ts";
import { AppError } from "#server/platform/errors.ts";
import type { UnreadableVersion, UsableVersion } from "./preset-version.ts";

/** A preset with the versions that can be used. */
export interface IndexedPreset {
  readonly orgId: string;
  /** The workspace it belongs to, which keys of other workspaces do not see; null for none. */
  readonly workspaceId: string | null;
  readonly name: string;
  readonly current: number;
  readonly versions: ReadonlyMap<number, UsableVersion | UnreadableVersion>;
}

/** Who uses presets. Without a workspace it acts for the whole organisation, so it may use all of them. */
export interface PresetUser {
  readonly orgId: string;
  readonly workspaceId: string | null;
}

const isVisible = (preset: IndexedPreset, { workspaceId }: PresetUser): boolean =>
  workspaceId === null || preset.workspaceId === null || preset.workspaceId === workspaceId;

const available = (count: number): string =>
  count === 1 ? "1 preset is available to this key" : `${count} presets are available to this key`;

/** All presets by organisation and name. */
export class PresetIndex {
  readonly #byOrg = new Map<string, Map<string, IndexedPreset>>();

  constructor(presets: Iterable<IndexedPreset>) {
    for (const preset of presets) {
      const known = this.#byOrg.get(preset.orgId);
      if (known) known.set(preset.name, preset);
      else this.#byOrg.set(preset.orgId, new Map([[preset.name, preset]]));
    }
  }

  #countFor(user: PresetUser): number {
    let count = 0;
    for (const preset of this.#byOrg.get(user.orgId)?.values() ?? []) if (isVisible(preset, user)) count++;
    return count;
  }

  /**
   * The version that a request names in the field `param`. Throws NOT_FOUND for one that its key may not use, and
   * SERVICE_UNAVAILABLE for one that cannot be read: without it the request would not be what its author expects.
   */
  find(user: PresetUser, { name, version }: NamedPreset, param: string): UsableVersion {
    const preset = this.#byOrg.get(user.orgId)?.get(name);
    if (!preset || !isVisible(preset, user)) {
      const count = this.#countFor(user);
      throw new AppError("NOT_FOUND", `${param}: there is no preset \`${name}\`; ${available(count)}`, {
        param,
        metadata: { available_presets: count },
      });
    }
    const found = preset.versions.get(version ?? preset.current);
    if (found && !("problem" in found)) return found;
    if (found)
      throw new AppError(
        "SERVICE_UNAVAILABLE",
        `${param}: version ${version ?? preset.current} of the preset \`${name}\` cannot be read; an administrator has to save it again`,
        { param, metadata: { current_version: preset.current } },
      );
    const message = `${param}: the preset \`${name}\` has no version ${version}; its current version is ${preset.current}`;
    throw new AppError("NOT_FOUND", message, { param, metadata: { current_version: preset.current } });
  }
}
