import { SimpleGrid, Skeleton, VisuallyHidden } from "@mantine/core";
import { chartPanelHeight, listPanelHeight, tileColumns, tileHeight, topPanelHeight } from "./sizes.ts";

const tiles = [
  "requests",
  "spend",
  "tokens",
  "errors",
  "refused",
  "fallbacks",
  "duration",
  "content",
  "credit",
  "budget",
];

/** The overview before its numbers are there, in the size it will have. */
export function OverviewSkeleton() {
  return (
    <>
      <VisuallyHidden role="status">Loading the overview</VisuallyHidden>
      <SimpleGrid cols={tileColumns} spacing="md" aria-hidden="true">
        {tiles.map((tile) => (
          <Skeleton key={tile} h={tileHeight} radius="md" />
        ))}
      </SimpleGrid>
      <Skeleton h={chartPanelHeight} radius="md" />
      <Skeleton h={topPanelHeight} radius="md" />
      <Skeleton h={listPanelHeight} radius="md" />
    </>
  );
}
