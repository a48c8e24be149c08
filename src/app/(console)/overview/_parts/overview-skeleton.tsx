import { SimpleGrid, Skeleton } from "@mantine/core";
import { chartPanelHeight, tileColumns, tileHeight } from "./sizes.ts";

const tiles = ["requests", "tokens", "cost", "errors", "credit"];

/** The overview before its numbers are there, in the size it will have. */
export function OverviewSkeleton() {
  return (
    <>
      <output className="mantine-visually-hidden">Loading the overview</output>
      <SimpleGrid cols={tileColumns} spacing="md" aria-hidden="true">
        {tiles.map((tile) => (
          <Skeleton key={tile} h={tileHeight} radius="md" />
        ))}
      </SimpleGrid>
      <Skeleton h={chartPanelHeight} radius="md" />
      <Skeleton h={420} radius="md" />
    </>
  );
}
