/** Row policies of the table `t` of the engine tests. */

import type { Principal } from '#access';
import type { Policies } from '#catalog';
import type { Engine } from '#engine';

/** A policy that permits reading the rows whose column `n` has the value of a claim. */
export function readsOwn(claim = 'org'): Policies {
  return {
    claims: [{ name: claim, type: 'int64' }],
    tables: [
      {
        table: 1,
        read: {
          where: {
            ...{ kind: 'binary', op: 'eq' },
            left: { kind: 'col', scope: 'row', column: 2 },
            right: { kind: 'claim', name: claim },
          },
        },
      },
    ],
  };
}

/** Sets the policies as a migration does. */
export function setPolicies(
  engine: Engine,
  policies: Policies | undefined,
  principal?: Principal,
): Promise<unknown> {
  const program = () => ({ statements: [{ kind: 'set_policies', name: 'p', policies } as const] });
  const authority = 'migration';
  if (principal === undefined) return engine.execute({ program, authority });
  const context = engine.requestContext({ principal });
  return (async () => engine.execute({ program, authority }, context))().finally(() =>
    context.close(),
  );
}
