"use client";

import { Box, SimpleGrid, Text } from "@mantine/core";
import { MapViewChoice, useMapView } from "#app/_ui/flows/map-view.tsx";
import { WorldMap } from "#app/_ui/flows/world-map.tsx";
import type { SimulationResult } from "#contract/simulation.ts";
import { simulatedColumns, simulatedPlaces } from "./simulated-flows.ts";

/** The countries that requests run in under the current rules, and with the draft. */
export function SimulatedMap({ residency }: Pick<SimulationResult, "residency">) {
  const sides = [simulatedPlaces(residency.before), simulatedPlaces(residency.after)];
  const { view, setView } = useMapView(sides.flat());
  const isShared = Object.keys({ ...residency.before, ...residency.after }).some((codes) =>
    codes.includes("+"),
  );
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {simulatedColumns.map((name, at) => (
          <Box key={name}>
            <Text size="sm" c="dimmed" mb={4}>
              {name}
            </Text>
            <WorldMap
              places={sides[at] ?? []}
              view={view}
              title={`Map of the countries, ${name.toLowerCase()}`}
            />
          </Box>
        ))}
      </SimpleGrid>
      <Box mt="xs">
        <MapViewChoice view={view} onChange={setView} />
      </Box>
      {isShared && (
        <Text c="dimmed" size="xs" mt="xs">
          Requests that may run in one of several countries are counted in each of them.
        </Text>
      )}
    </>
  );
}
