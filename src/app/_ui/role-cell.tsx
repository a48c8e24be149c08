import { Text } from "@mantine/core";
import { roles } from "#app/_lib/roles.ts";
import type { Role } from "#contract/permission.ts";
import { Status } from "./status.tsx";

interface StoredRole {
  readonly role: Role;
  /** Why the stored role cannot be read; then `role` is not what is stored. */
  readonly problem: string | null;
}

/** Says that a stored role cannot be read, and what that means. Null if it can be read. */
export const RoleProblem = ({ problem, effect }: Pick<StoredRole, "problem"> & { effect: string }) =>
  problem && (
    <>
      <Status tone="bad">Cannot be read</Status>
      <Text size="xs" c="dimmed" maw={320}>
        {effect} The problem: {problem}
      </Text>
    </>
  );

/** A role as a table shows it. */
export const RoleCell = ({ role, problem, effect }: StoredRole & { effect: string }) =>
  problem === null ? (
    roles.find(({ value }) => value === role)?.label
  ) : (
    <RoleProblem problem={problem} effect={effect} />
  );
