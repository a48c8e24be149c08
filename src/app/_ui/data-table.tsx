"use client";

import { Button, Paper } from "@mantine/core";
import { type ReactNode, useState } from "react";
import classes from "./data-table.module.css";
import { EmptyState } from "./empty-state.tsx";
import { FailureAlert } from "./failure-alert.tsx";
import { Pages } from "./pages.tsx";
import { SkeletonRows } from "./skeleton-rows.tsx";
import { Table } from "./table.tsx";

export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: "right";
  /** Hidden on narrower screens; another cell then has what matters. */
  readonly visibleFrom?: "sm" | "md" | "lg";
  /** Given when people may sort by it. */
  readonly compare?: (a: Row, b: Row) => number;
  /** Given when the server sorts by it, greatest first. */
  readonly isSortedByServer?: boolean;
  /** Whether a row has no value to sort by: it is last in both directions. */
  readonly lacks?: (row: Row) => boolean;
}

/** The id of a column, after a minus when the greatest comes first. */
export type Sort = string;

interface DataTableProps<Row> {
  /** Accessible name of the table. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined while they are loading. */
  readonly rows: readonly Row[] | undefined;
  readonly rowId: (row: Row) => string;
  /** Opens a row: by click, or by Enter on its first cell, which j and k reach. */
  readonly onOpen?: (row: Row) => void;
  readonly selectedId?: string | null;
  readonly error?: unknown;
  readonly onRetry?: () => void;
  /** Given while filters are active: clears all of them. */
  readonly onClearFilters?: (() => void) | undefined;
  /** Shown when there are no rows yet. */
  readonly empty: ReactNode;
  readonly sort?: Sort | null;
  readonly onSort?: (sort: Sort) => void;
  readonly skeletonRows?: number;
  readonly footer?: ReactNode;
}

/** As many rows as are drawn at once; a list that comes page by page has fewer. */
const pageRows = 100;

const direction = (sort: Sort | null | undefined, id: string): 1 | -1 | 0 =>
  sort === id ? 1 : sort === `-${id}` ? -1 : 0;

function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: Sort | null | undefined,
): readonly Row[] {
  const column = columns.find(({ id }) => direction(sort, id) !== 0);
  const { compare, lacks = () => false } = column ?? {};
  if (!column || !compare) return rows;
  return rows.toSorted(
    (a, b) => Number(lacks(a)) - Number(lacks(b)) || compare(a, b) * direction(sort, column.id),
  );
}

/** Every list of the console: sorting, pages, keyboard, and the states loading, failed, empty and no match. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, error, onRetry, sort, onSort, onClearFilters, empty, footer } = props;
  const [chosenPage, setPage] = useState(0);
  // Fewer rows after filtering: the last page there is.
  const page = Math.min(chosenPage, Math.max(0, Math.ceil((rows?.length ?? 0) / pageRows) - 1));
  if (error && onRetry) return <FailureAlert error={error} onRetry={onRetry} />;
  if (rows?.length === 0) {
    return (
      <Paper withBorder bg="var(--console-surface)">
        {onClearFilters ? (
          <EmptyState title="No results" text="No rows match these filters.">
            <Button variant="default" size="xs" onClick={onClearFilters}>
              Clear filters
            </Button>
          </EmptyState>
        ) : (
          empty
        )}
      </Paper>
    );
  }
  return (
    <Paper withBorder bg="var(--console-surface)">
      <section className={classes.scroll} aria-label={label} aria-busy={rows === undefined}>
        <Table verticalSpacing="xs" horizontalSpacing="sm" aria-label={label}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Head key={column.id} column={column} sort={sort} onSort={onSort} />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows === undefined ? (
              <SkeletonRows columns={columns} count={props.skeletonRows ?? 8} />
            ) : (
              sorted(rows, columns, sort)
                .slice(page * pageRows, (page + 1) * pageRows)
                .map((row) => <Row key={props.rowId(row)} row={row} table={props} />)
            )}
          </Table.Tbody>
        </Table>
      </section>
      {rows && rows.length > pageRows && (
        <Pages page={page} pageRows={pageRows} count={rows.length} onPage={setPage} />
      )}
      {footer}
    </Paper>
  );
}

interface HeadProps<Row> {
  readonly column: Column<Row>;
  readonly sort: Sort | null | undefined;
  readonly onSort: ((sort: Sort) => void) | undefined;
}

function Head<Row>({ column, sort, onSort }: HeadProps<Row>) {
  const { id, header, align, visibleFrom, compare, isSortedByServer } = column;
  const now = direction(sort, id);
  const isSortable = compare !== undefined || isSortedByServer;
  // The server sorts in one direction: a second click ends it.
  const next = isSortedByServer ? (now === 0 ? `-${id}` : "") : now === 1 ? `-${id}` : id;
  return (
    <Table.Th
      scope="col"
      ta={align}
      visibleFrom={visibleFrom}
      aria-sort={isSortable ? (["descending", "none", "ascending"] as const)[now + 1] : undefined}
    >
      {isSortable && onSort ? (
        <button type="button" className={classes.sort} onClick={() => onSort(next)}>
          {header}
          <span aria-hidden="true">{["\u00a0↓", "", "\u00a0↑"][now + 1]}</span>
        </button>
      ) : (
        header
      )}
    </Table.Th>
  );
}

function Row<Row>({ row, table }: { row: Row; table: DataTableProps<Row> }) {
  const { columns, onOpen, selectedId, rowId } = table;
  return (
    <Table.Tr
      className={classes.row}
      data-opens={onOpen ? true : undefined}
      data-selected={selectedId === rowId(row) || undefined}
      onClick={(event) => {
        // A control inside the row does its own work.
        if (event.target instanceof Element && event.target.closest("button, a, input, label")) return;
        onOpen?.(row);
      }}
    >
      {columns.map(({ id, cell, align, visibleFrom }, index) => (
        <Table.Td key={id} ta={align} visibleFrom={visibleFrom} className={classes.cell}>
          {index === 0 && onOpen ? (
            <button type="button" data-row className={classes.opener} onClick={() => onOpen(row)}>
              {cell(row)}
            </button>
          ) : (
            cell(row)
          )}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
