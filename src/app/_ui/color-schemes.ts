import type { MantineColorScheme } from "@mantine/core";
import { MoonIcon, ScreenIcon, SunIcon } from "./icons.tsx";

/** The themes a person can choose: the switch and the palette grow from this table. */
export const colorSchemes = [
  { value: "light", label: "Light", Icon: SunIcon },
  { value: "dark", label: "Dark", Icon: MoonIcon },
  { value: "auto", label: "System", Icon: ScreenIcon },
] as const satisfies readonly { value: MantineColorScheme; label: string; Icon: typeof SunIcon }[];
