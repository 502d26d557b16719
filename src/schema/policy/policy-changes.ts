/** Differences between the policies before and after a migration, in the form that users see. */

import { type Catalog, canonicalText, type Policies } from '#catalog';
import type { SchemaChange } from '../diff/change.ts';

/** Returns the changes: of all policies, of the claims, then by table. `desired` names the tables. */
export function policyChanges(
  desired: Catalog,
  before: Policies | undefined,
  after: Policies | undefined,
): readonly SchemaChange[] {
  const changes: SchemaChange[] = [];
  if (before === undefined) changes.push({ kind: 'policy_added', summary: 'enable row policies' });
  if (after === undefined)
    changes.push({ kind: 'policy_removed', summary: 'disable row policies' });
  if (before !== undefined && after !== undefined && isOther(before.claims, after.claims)) {
    changes.push({ kind: 'policy_changed', summary: 'change claims of row policies' });
  }
  for (const { id, name } of desired.tables) {
    const [old, now] = [before, after].map((of) => of?.tables.find(({ table }) => table === id));
    const kind = kindOf(old, now);
    if (kind === undefined) continue;
    changes.push({ kind, summary: `${words[kind]} row policy of ${name}`, table: name });
  }
  return changes;
}

const words = {
  policy_added: 'create',
  policy_changed: 'change',
  policy_removed: 'delete',
} as const;

function kindOf(old: object | undefined, now: object | undefined): keyof typeof words | undefined {
  if (old === undefined || now === undefined) {
    if (old === now) return undefined;
    return old === undefined ? 'policy_added' : 'policy_removed';
  }
  return isOther(old, now) ? 'policy_changed' : undefined;
}

function isOther(old: object, now: object): boolean {
  return canonicalText(old) !== canonicalText(now);
}
