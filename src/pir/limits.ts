/** The size limits of a program (docs/errors.md). */

import { fail } from '#failure';
import { pointerOf } from '#lir';
import type { Program } from './program.ts';
import { isRelational } from './statement.ts';

export const programLimits = {
  statementsMax: 1_000,
  /** Each change creates a version of the whole catalog, which is stored as a revision. */
  catalogChangesMax: 100,
  /** Limit for all relations of the program together. */
  nodesMax: 10_000,
} as const;

export function checkLimits({ statements }: Program): void {
  const { statementsMax, catalogChangesMax, nodesMax } = programLimits;
  if (statements.length > statementsMax) {
    const detail = `a program has at most ${statementsMax} statements, this one has ${statements.length}`;
    throw fail('invalid', detail, { location: { pointer: '/statements' } });
  }
  const changes = statements.flatMap((statement, index) => (isRelational(statement) ? [] : index));
  if (changes.length > catalogChangesMax) {
    const detail = `the program changes the catalog ${changes.length} times, and at most ${catalogChangesMax} are allowed; send several programs`;
    const location = { pointer: pointerOf(['statements', changes[catalogChangesMax] as number]) };
    throw fail('invalid', detail, { location });
  }
  let nodes = 0;
  statements.forEach((statement, index) => {
    if (!isRelational(statement)) return;
    nodes += Object.keys(statement.relation.nodes).length;
    if (nodes <= nodesMax) return;
    throw fail('invalid', `the relations of a program have at most ${nodesMax} nodes together`, {
      location: { pointer: pointerOf(['statements', index, 'relation', 'nodes']) },
    });
  });
}
