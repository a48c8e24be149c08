export type { PresetOperation } from "./apply.ts";
export { forDryRun } from "./dry-run.ts";
export { createPresetLoader } from "./load.ts";
export { PresetIndex } from "./preset-index.ts";
export { createPreset, deletePreset, getPreset, listPresets, updatePreset } from "./presets.ts";
export { presetUserOf, withPreset } from "./resolve.ts";
export { checkedConfig, deleteVersion, getVersion, listVersions, restoreVersion } from "./versions.ts";
