/** What makes a name unique within its owner, and by which it is found: without case and outer spaces. */
export const nameKey = (name: string): string => name.trim().toLowerCase();
