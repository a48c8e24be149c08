import Link from "next/link";
import { formatCount, formatRequests } from "#app/_lib/format.ts";
import type { FlowGraph } from "./flow-graph.ts";
import { layoutFlows, type PlacedNode, picture, pictureWidth } from "./flow-layout.ts";
import classes from "./flow-picture.module.css";

const height = 300;
const headHeight = 26;
/** The last label may be lower than its node. */
const labelHeight = 16;
const labelMax = 30;
/** A narrower place moves the picture, because its labels would be too small. */
const leastScale = 0.76;

const shorten = (label: string): string =>
  label.length > labelMax ? `${label.slice(0, labelMax - 1)}…` : label;

function Label({ node }: { node: PlacedNode }) {
  const { x, y, height: own, label, value, isExcluded } = node;
  return (
    <text x={x + picture.nodeWidth + 6} y={y + Math.max(own, 12) / 2} dy="0.35em" className={classes.label}>
      <title>{label}</title>
      {shorten(label)}
      {!isExcluded && <tspan className={classes.count}> {formatCount(value)}</tspan>}
    </text>
  );
}

interface FlowPictureProps {
  readonly title: string;
  /** What it shows, for people who do not see it. */
  readonly description: string;
  /** The names of the columns, from left to right. */
  readonly columns: readonly string[];
  readonly graph: FlowGraph;
  /** The time range of the log that nodes with a query lead to. */
  readonly range?: string;
}

/** Bands between the nodes of columns, as wide as the number of requests. A node leads to its requests. */
export function FlowPicture({ title: name, description, columns, graph, range }: FlowPictureProps) {
  const { nodes, links } = layoutFlows(graph, columns.length, height);
  const width = pictureWidth(columns.length);
  return (
    <section className={classes.scroll} aria-label={description}>
      <svg
        viewBox={`0 ${-headHeight} ${width} ${height + headHeight + labelHeight}`}
        className={classes.picture}
        style={{ minWidth: width * leastScale }}
      >
        <title>{name}</title>
        {columns.map((head, column) => (
          <text key={head} x={column * picture.columnStep} y={-12} className={classes.head}>
            {head}
          </text>
        ))}
        <g>
          {links.map(({ from, to, outcome, path, width, title }) => (
            <path
              key={`${from} ${to} ${outcome}`}
              d={path}
              strokeWidth={width}
              data-outcome={outcome}
              className={classes.band}
            >
              <title>{title}</title>
            </path>
          ))}
        </g>
        {nodes.map((node) => {
          const { id, x, y, height: own, isExcluded, query, label, value } = node;
          const shape = (
            <>
              <rect
                x={x}
                y={y}
                width={picture.nodeWidth}
                height={own}
                rx={2}
                data-excluded={isExcluded || undefined}
                className={classes.node}
              />
              <Label node={node} />
            </>
          );
          return query === null || range === undefined ? (
            <g key={id}>{shape}</g>
          ) : (
            <Link
              key={id}
              href={`/logs?range=${range}&${query}`}
              aria-label={`${label}: ${formatRequests(value)}`}
              className={classes.link}
            >
              {shape}
            </Link>
          );
        })}
      </svg>
    </section>
  );
}
