export interface Series {
  readonly name: string;
  readonly label: string;
  /** A colour of the theme. */
  readonly color: string;
  /** One for each label. Numbers here are only drawn; a table shows `texts` on hover. */
  readonly values: readonly number[];
  readonly texts?: readonly string[];
}

export interface ChartData {
  /** What the labels are: `Hour`, `Country`. */
  readonly axis: string;
  readonly labels: readonly string[];
  /** Stacked from the bottom up, unless they stand side by side. */
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Whether values between whole numbers make sense on the axis. */
  readonly fractions?: boolean;
  readonly sideBySide?: boolean;
}
