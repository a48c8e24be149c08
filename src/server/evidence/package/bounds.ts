import { AppError } from "#server/platform/errors.ts";
import type { limits } from "#server/platform/limits.ts";

/** How large a package may become. */
export type PackageBounds = Readonly<Record<keyof typeof limits.evidencePackages.bounds, number>>;

const exceeded: Readonly<Record<keyof PackageBounds, (max: number) => string>> = {
  requestsMax: (max) => `More than ${max} requests match`,
  decisionsMax: (max) => `The requests were routed by more than ${max} different decisions`,
  filesMax: (max) => `The archive would have more than ${max} files`,
  bytesMax: (max) => `The archive would be larger than ${max} bytes`,
};

/** Throws BAD_REQUEST, which says what to do, if a package becomes larger than a bound. */
export function assertWithin(bounds: PackageBounds, name: keyof PackageBounds, value: number): void {
  if (value > bounds[name])
    throw new AppError("BAD_REQUEST", `${exceeded[name](bounds[name])}. Choose a shorter period, or filter`);
}
