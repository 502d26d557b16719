/** How large a program may be (docs/errors.md). */

import { fail } from '#failure';
import { pointerOf } from '#lir';
import type { Program } from './program.ts';
import { isRelational } from './statement.ts';

export const programLimits = {
  statementsMax: 1_000,
  /** In all relations of the program together. */
  nodesMax: 10_000,
} as const;

export function checkLimits({ statements }: Program): void {
  const { statementsMax, nodesMax } = programLimits;
  if (statements.length > statementsMax) {
    const detail = `a program has at most ${statementsMax} statements, this one has ${statements.length}`;
    throw fail('invalid', detail, { location: { pointer: '/statements' } });
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
