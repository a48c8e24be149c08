/** The longest period of a report of data flows. Without a schema: the console's screens read it. */
export const periodDaysMax = 366;
