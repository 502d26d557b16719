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

/** The permitted actions of each table, as a map: principals have up to a thousand grants, and each request looks for some of them. */
export type GrantedActions = ReadonlyMap<Grant['table'], Grant['actions']>;

export function mergeGrants(grants: readonly Grant[]): GrantedActions {
  const byTable = new Map<Grant['table'], Grant['actions']>();
  for (const { table, actions } of grants) {
    byTable.set(table, byTable.get(table)?.union(actions) ?? actions);
  }
  return byTable;
}

/** Returns one grant for each table. */
export function grantsOf(merged: GrantedActions): readonly Grant[] {
  return [...merged].map(([table, actions]) => ({ table, actions }));
}

/** Returns whether the grants permit an action on a table. */
export function grantsAction(
  grants: GrantedActions | undefined,
  tableId: number,
  action: Action,
): boolean {
  if (grants === undefined) return true;
  return grants.get(tableId)?.has(action) === true || grants.get('*')?.has(action) === true;
}

/** Returns whether a principal with these grants sees that the table exists: it has at least one action on it. */
export function grantsSight(grants: GrantedActions | undefined, tableId: number): boolean {
  if (grants === undefined) return true;
  return (grants.get(tableId)?.size ?? 0) > 0 || (grants.get('*')?.size ?? 0) > 0;
}
