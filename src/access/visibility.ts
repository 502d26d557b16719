/** Visibility classes: principals of one class see the same tables, and share prepared programs and results. */

import { type Action, actions, type Grants } from './grant.ts';

/** Whether row policies apply to a principal. */
export type PolicyMode = 'enforce' | 'bypass';

export interface Visibility {
  /** Identifies the class, as a part of cache keys. Empty for the class without restrictions. */
  readonly key: string;
  readonly grants: Grants;
  readonly policies: PolicyMode;
}

/** The class of clients without authentication, and of principals without grants to whom policies do not apply. */
export const unrestricted: Visibility = { key: '', grants: undefined, policies: 'bypass' };

const enforced: Visibility = { key: 'enforce', grants: undefined, policies: 'enforce' };

/** Returns the class of principals with these grants. Grants that permit the same have the same class. */
export function visibilityOf(grants: Grants, policies: PolicyMode): Visibility {
  if (grants === undefined) return policies === 'enforce' ? enforced : unrestricted;
  const byTable = new Map<number | '*', Set<Action>>();
  for (const grant of grants) {
    const known = byTable.get(grant.table) ?? new Set();
    byTable.set(grant.table, known.union(grant.actions));
  }
  const merged = [...byTable].map(([table, held]) => ({ table, actions: held }));
  const words = merged.map(
    (grant) => `${grant.table}:${actions.filter((action) => grant.actions.has(action))}`,
  );
  const mode = policies === 'enforce' ? 'enforce ' : '';
  return { key: `${mode}grants ${words.sort().join(' ')}`, grants: merged, policies };
}
