/** Full joins: the left join, and the rows of the right side that match none of the left side. */

import type { JoinExpr } from 'libpg-query';
import type { Compilation } from './compilation.ts';
import type { FromPart, Sides } from './join.ts';

export function fullJoin(
  compilation: Compilation,
  _expr: JoinExpr,
  _sides: Sides,
  _joinOf: (compilation: Compilation, expr: JoinExpr, sides: Sides) => FromPart,
): FromPart {
  throw compilation.unsupported(
    'FULL JOIN',
    undefined,
    'Use UNION ALL of a LEFT JOIN and the rest.',
  );
}
