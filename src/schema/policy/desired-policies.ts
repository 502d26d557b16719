/** The policies that a schema file asks for. */

import { type Catalog, type Policies, tableById } from '#catalog';

/** `absent` leaves the policies of the database unchanged, `none` removes them. */
export type DesiredPolicies = Policies | 'absent' | 'none';

/** Returns the policies after a migration from `current` to `desired`. The deletion of a table deletes its policy, too. */
export function policiesAfter(
  { policies }: Pick<Catalog, 'policies'>,
  desired: Catalog,
  wanted: DesiredPolicies,
): Policies | undefined {
  if (wanted === 'none') return undefined;
  return wanted === 'absent' ? policies && withoutDeleted(policies, desired) : wanted;
}

/** Returns the policies without those of tables that the migration deletes. */
export function withoutDeleted(policies: Policies, desired: Catalog): Policies {
  const tables = policies.tables.filter(({ table }) => tableById(desired, table) !== undefined);
  return { ...policies, tables };
}
