import { createTheme, type MantineColorsTuple } from "@mantine/core";

/** The ink of sea charts. Shades 7 (light) and 5 (dark) keep AA contrast as text and as filled ground. */
const sea: MantineColorsTuple = [
  "#e9f6f9",
  "#d5e9ee",
  "#a9d2dd",
  "#7abacb",
  "#55a6bc",
  "#3b92aa",
  "#2a819a",
  "#126a83",
  "#045a71",
  "#00495e",
];

const systemSans =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif';
const systemMono = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace';

export const theme = createTheme({
  colors: { sea },
  primaryColor: "sea",
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: "md",
  fontFamily: systemSans,
  fontFamilyMonospace: systemMono,
  headings: { fontFamily: systemSans, fontWeight: "650" },
  components: {
    // A list that opens on focus by Tab covers the fields below.
    MultiSelect: {
      defaultProps: { openOnFocus: false, withScrollArea: false },
      // The list itself scrolls: a scrolling element around it would need a focus of its own.
      styles: { options: { maxHeight: 220, overflowY: "auto" } },
    },
    Select: {
      defaultProps: { openOnFocus: false, withScrollArea: false },
      styles: { options: { maxHeight: 220, overflowY: "auto" } },
    },
    // A number out of bounds is reported, never replaced.
    NumberInput: { defaultProps: { clampBehavior: "none" } },
    // Its placeholder is a focusable stranger among the items of a menu (aria-required-children).
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
  },
  respectReducedMotion: true,
  cursorType: "pointer",
});
