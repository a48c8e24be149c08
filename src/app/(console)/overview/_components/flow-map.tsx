"use client";

import { Anchor, Box, Grid } from "@mantine/core";
import Link from "next/link";
import { formatCount, formatRequests, formatShare } from "#app/_lib/format.ts";
import { ColumnHeads } from "#app/_ui/column-heads.tsx";
import { MapViewChoice, useMapView } from "#app/_ui/flows/map-view.tsx";
import { type MapPlace, WorldMap } from "#app/_ui/flows/world-map.tsx";
import { ScrollRegion } from "#app/_ui/scroll-region.tsx";
import { Table } from "#app/_ui/table.tsx";
import type { RequestFlows } from "#contract/request-flows.ts";
import { type FlowPlace, flowPlaces } from "./flow-places.ts";

const columns = [
  { header: "Country" },
  { header: "Requests", align: "right" },
  { header: "Failed", align: "right" },
  { header: "Share", align: "right" },
] as const;

function PlaceRow({ place, range }: { place: FlowPlace; range: string }) {
  const { name, requests, failed, share, query, excludedBy } = place;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {query === null ? (
          name
        ) : (
          <Anchor component={Link} href={`/logs?range=${range}&${query}`} size="sm">
            {name}
          </Anchor>
        )}
      </Table.Th>
      {requests === 0 ? (
        <Table.Td colSpan={3} c="dimmed">
          excluded: {excludedBy.join(", ")}
        </Table.Td>
      ) : (
        <>
          <Table.Td ta="right">{formatCount(requests)}</Table.Td>
          <Table.Td ta="right">{formatCount(failed)}</Table.Td>
          <Table.Td ta="right">{formatShare(share)}</Table.Td>
        </>
      )}
    </Table.Tr>
  );
}

const onMap =
  (range: string) =>
  ({ country, name, requests, share, query, excludedBy }: FlowPlace): MapPlace => ({
    country,
    isServed: requests > 0,
    share,
    text:
      query === null ? `${name}: excluded, ${excludedBy.join(", ")}` : `${name}: ${formatRequests(requests)}`,
    href: query === null ? null : `/logs?range=${range}&${query}`,
  });

interface FlowMapProps {
  readonly report: RequestFlows;
  readonly range: string;
}

/** The countries that requests went to, on a map and as a list. */
export function FlowMap({ report, range }: FlowMapProps) {
  const places = flowPlaces(report);
  const marked = places.map(onMap(range));
  const { view, setView } = useMapView(marked);
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Box pos="relative">
          <WorldMap places={marked} view={view} title="Map of the countries that requests went to" />
          <Box pos="absolute" bottom={8} left={8}>
            <MapViewChoice view={view} onChange={setView} />
          </Box>
        </Box>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <ScrollRegion mah={340} label="Countries, as a table">
          <Table aria-label="Countries">
            <ColumnHeads columns={columns} />
            <Table.Tbody>
              {places.map((place) => (
                <PlaceRow key={place.country} place={place} range={range} />
              ))}
            </Table.Tbody>
          </Table>
        </ScrollRegion>
      </Grid.Col>
    </Grid>
  );
}
