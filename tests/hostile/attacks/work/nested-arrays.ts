/** Arrays in arrays in arrays: the answer grows with the third power of the rows. */

import type { LiveAttack } from '../../attack.ts';
import { ask, col, crossing, numbers, order, project, relation } from '../../programs/lir.ts';
import { together } from '../strikes.ts';

/** `depth` crossings over `rows` rows each. */
export function nestedArrays(rows: number, depth: number): string {
  const nodes: Record<string, ReturnType<typeof project>> = {};
  const all: Record<string, object> = nodes;
  for (let level = 0; level <= depth; level++) {
    const fields = { n: col(`r${level}`, 'n') };
    const inner = level < depth ? { ...fields, a: crossing('array', `p${level + 1}`) } : fields;
    all[`r${level}`] = numbers(`r${level}`, 0, rows);
    all[`o${level}`] = order(`r${level}`, col(`r${level}`, 'n'));
    nodes[`p${level}`] = project(`o${level}`, inner);
  }
  return ask(relation(nodes, 'p0'));
}

const nested = (rows: number): LiveAttack => ({
  kind: 'live',
  part: 'work',
  name: `nested-arrays-${rows}`,
  does: `three nested array crossings over ${rows} rows, in a few KB`,
  strike: together(1, () => nestedArrays(rows, 3)),
});

export const nestedArrays700 = nested(700);
export const nestedArrays1000 = nested(1000);
