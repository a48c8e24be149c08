import { drawnOutcomes, type FlowGraph, type FlowLink, type FlowNode } from "./flow-graph.ts";

/** In units of the picture, which is scaled to its place. */
export interface PlacedNode extends FlowNode {
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

export interface PlacedLink extends FlowLink {
  readonly path: string;
  readonly width: number;
}

export const picture = { columnStep: 260, nodeWidth: 10, labelWidth: 210 } as const;
const gap = 12;
const excludedHeight = 12;
const leastHeight = 2;

/** The labels of the last column are to its right. */
export const pictureWidth = (columnCount: number): number =>
  (columnCount - 1) * picture.columnStep + picture.nodeWidth + picture.labelWidth;

/** Places nodes in columns, and links between them as bands whose width is the number of requests. */
export function layoutFlows(
  { nodes, links }: FlowGraph,
  columnCount: number,
  height: number,
): { nodes: PlacedNode[]; links: PlacedLink[] } {
  const columns = Array.from({ length: columnCount }, (_, column) =>
    nodes.filter((node) => node.column === column),
  );
  const scale = Math.min(
    ...columns.map((column) => {
      const fixed = column.reduce(
        (sum, { isExcluded }) => sum + gap + (isExcluded ? excludedHeight : 0),
        -gap,
      );
      const total = column.reduce((sum, { value }) => sum + value, 0);
      return total === 0 ? Number.POSITIVE_INFINITY : Math.max(0, height - fixed) / total;
    }),
  );
  const placed = columns.flatMap((column, at) => {
    let y = 0;
    return column.map((node) => {
      const own = node.isExcluded ? excludedHeight : Math.max(leastHeight, node.value * scale);
      const made = { ...node, x: at * picture.columnStep, y, height: own };
      y += own + gap;
      return made;
    });
  });
  const byId = new Map(placed.map((node) => [node.id, node]));
  const place = new Map(placed.map(({ id }, at) => [id, at]));
  const sorted = links.toSorted(
    (a, b) =>
      (place.get(a.from) ?? 0) - (place.get(b.from) ?? 0) ||
      (place.get(a.to) ?? 0) - (place.get(b.to) ?? 0) ||
      drawnOutcomes.indexOf(a.outcome) - drawnOutcomes.indexOf(b.outcome),
  );
  const [left, right] = [new Map<string, number>(), new Map<string, number>()];
  const bands = sorted.flatMap((link) => {
    const [from, to] = [byId.get(link.from), byId.get(link.to)];
    if (!from || !to) return [];
    if (link.outcome === "excluded")
      return [{ ...link, width: 1.5, path: curve(from, to, middle(from), middle(to)) }];
    const width = Math.max(0.5, link.value * scale);
    const [out, into] = [left.get(from.id) ?? 0, right.get(to.id) ?? 0];
    left.set(from.id, out + width);
    right.set(to.id, into + width);
    return [{ ...link, width, path: curve(from, to, from.y + out + width / 2, to.y + into + width / 2) }];
  });
  return { nodes: placed, links: bands };
}

const middle = ({ y, height }: PlacedNode): number => y + height / 2;

function curve(from: PlacedNode, to: PlacedNode, y1: number, y2: number): string {
  const [x1, x2] = [from.x + picture.nodeWidth, to.x];
  const half = (x1 + x2) / 2;
  return `M${x1},${y1}C${half},${y1} ${half},${y2} ${x2},${y2}`;
}
