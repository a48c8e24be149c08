/**
 * A table whose rows are looked up by words from outside. It has nothing but its rows: in an object of the usual kind
 * `constructor` and `toString` are found as well.
 */
export const tableOf = <Row>(rows: Readonly<Record<string, Row>>): Readonly<Record<string, Row>> =>
  Object.assign<Record<string, Row>, Readonly<Record<string, Row>>>(Object.create(null), rows);
