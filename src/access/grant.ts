/** Grants: the tables that the scopes `read` and `write` apply to. */

export const actions = ['read', 'create', 'update', 'delete'] as const;

export type Action = (typeof actions)[number];

/** Actions on one table, by the id of the table; `*` means all tables, later ones too. */
export interface Grant {
  readonly table: number | '*';
  readonly actions: ReadonlySet<Action>;
}

/** All grants of a principal. `undefined` means that the principal is not restricted to tables; an empty list permits no table. */
export type Grants = readonly Grant[] | undefined;

/** Returns whether the grants permit an action on a table. */
export function grantsAction(grants: Grants, tableId: number, action: Action): boolean {
  if (grants === undefined) return true;
  return grants.some(
    ({ table, actions }) => (table === '*' || table === tableId) && actions.has(action),
  );
}

/** Returns whether a principal with these grants sees that the table exists: it has at least one action on it. */
export function grantsSight(grants: Grants, tableId: number): boolean {
  if (grants === undefined) return true;
  return grants.some(
    ({ table, actions }) => (table === '*' || table === tableId) && actions.size > 0,
  );
}
