import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { type MapPlace, type MapView, viewFor } from "./world-map.tsx";

const views = [
  { value: "europe", label: "Europe" },
  { value: "world", label: "World" },
] as const;

/** The part of the map that is shown: what fits these places, until a person chooses. */
export function useMapView(places: readonly MapPlace[]) {
  const [chosen, setView] = useState<MapView | null>(null);
  return { view: chosen ?? viewFor(places), setView };
}

interface MapViewChoiceProps {
  readonly view: MapView;
  readonly onChange: (view: MapView) => void;
}

/** The choice of the part. */
export const MapViewChoice = ({ view, onChange }: MapViewChoiceProps) => (
  <SegmentedControl
    size="xs"
    aria-label="Part of the map"
    data={[...views]}
    value={view}
    onChange={onChange}
  />
);
