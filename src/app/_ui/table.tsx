import { Box, type BoxProps, getSpacing } from "@mantine/core";
import type { ComponentPropsWithoutRef, CSSProperties } from "react";
import classes from "./table.module.css";

type Element<Tag extends "table" | "thead" | "tbody" | "tr" | "th" | "td"> = BoxProps &
  Omit<ComponentPropsWithoutRef<Tag>, keyof BoxProps>;

interface TableProps extends Element<"table"> {
  readonly verticalSpacing?: "xs" | number;
  readonly horizontalSpacing?: "xs" | "sm" | number;
  readonly layout?: CSSProperties["tableLayout"];
}

const joined = (own: string | undefined, given: string | undefined) => [own, given].filter(Boolean).join(" ");

function Root({ verticalSpacing = 7, horizontalSpacing = "xs", layout, style, ...rest }: TableProps) {
  const cells = {
    "--table-cell-y": getSpacing(verticalSpacing),
    "--table-cell-x": getSpacing(horizontalSpacing),
    tableLayout: layout,
  };
  return (
    <Box
      component="table"
      {...rest}
      style={[cells, style]}
      className={joined(classes.table, rest.className)}
    />
  );
}

const Thead = (props: Element<"thead">) => <Box component="thead" {...props} />;

const Tbody = (props: Element<"tbody">) => (
  <Box component="tbody" {...props} className={joined(classes.body, props.className)} />
);

const Tr = (props: Element<"tr">) => (
  <Box component="tr" {...props} className={joined(classes.row, props.className)} />
);

const Th = (props: Element<"th">) => (
  <Box component="th" {...props} className={joined(classes.cell, props.className)} />
);

const Td = (props: Element<"td">) => (
  <Box component="td" {...props} className={joined(classes.cell, props.className)} />
);

/** A table that looks like Mantine's. That one brings 20 kB of scroll area and positioning to every screen. */
export const Table = Object.assign(Root, { Thead, Tbody, Tr, Th, Td });
