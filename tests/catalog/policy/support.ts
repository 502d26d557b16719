/** Policies of the tables `users` (1) and `posts` (2) of the catalog tests. */

import type { Catalog, Policies, PolicyCondition, PolicyExpressionOf } from '#catalog';
import { after, catalogOf, posts, users } from '../support.ts';

type Expression = PolicyExpressionOf<number>;

export const col = (scope: string, column: number): Expression => ({ kind: 'col', scope, column });
export const claim = (name: string): Expression => ({ kind: 'claim', name });
export const eq = (left: Expression, right: Expression): Expression => ({
  ...{ kind: 'binary', op: 'eq' },
  left,
  right,
});

/** The row belongs to the user of the claim `sub`: users.name, read by the policy of posts. */
export const ofOwner: PolicyCondition = {
  where: { kind: 'exists', node: 'own' },
  nodes: {
    u: { kind: 'scan', table: 1, scope: 'u' },
    own: {
      kind: 'filter',
      input: 'u',
      predicate: {
        kind: 'binary',
        op: 'and',
        left: eq(col('u', 1), col('row', 2)),
        right: eq(col('u', 2), claim('sub')),
      },
    },
  },
};

export const policies: Policies = {
  claims: [{ name: 'sub', type: 'text' }],
  tables: [
    { table: 1, read: { where: eq(col('row', 2), claim('sub')) } },
    { table: 2, read: 'all', create: ofOwner, update: ofOwner, delete: 'same_as_read' },
  ],
};

export const plain: Catalog = catalogOf(users, posts);

export function withPolicies(catalog: Catalog, wanted: Policies = policies): Catalog {
  return after(catalog, { kind: 'set_policies', policies: wanted });
}
