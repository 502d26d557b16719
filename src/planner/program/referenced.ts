/** Finds the statements whose results are read again, by a later statement or as the response. */

import { isRelational, type Statement } from '#pir';

export function referencedStatements(
  statements: readonly Statement[],
  result: string | undefined,
): ReadonlySet<string> {
  const referenced = new Set<string>(result === undefined ? [] : [result]);
  for (const statement of statements) {
    if (!isRelational(statement)) continue;
    const { nodes } = statement.relation;
    for (const id in nodes) {
      const node = nodes[id];
      if (node?.kind === 'ref') referenced.add(node.binding);
    }
  }
  return referenced;
}
