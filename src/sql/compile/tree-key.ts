/** Recognizes equal expressions, as in GROUP BY and the list of a SELECT. */

import type { ColumnRef, Node } from 'libpg-query';
import { findColumn } from '../scope/scope.ts';
import type { Env } from './compilation.ts';
import { nameParts } from './nodes.ts';

/** Returns a text that is equal for equal expressions of the scope. Literals that were cut out count by their values. */
export function treeKey({ scope, compilation }: Env, node: Node): string {
  return JSON.stringify(node, (name, value: unknown) => {
    if (name === 'location' || name.endsWith('_start') || name.endsWith('_end')) return undefined;
    if (name === 'ColumnRef') {
      const parts = nameParts((value as ColumnRef).fields);
      const [column = '', table, schema] = [...parts].reverse();
      const plain = { ...scope, grouped: undefined };
      const found = findColumn(plain, { column, table, schema, location: undefined });
      return found.kind === 'column' ? found.column.expr : value;
    }
    if (name === 'ParamRef') {
      const cut = ((value as { number?: number }).number ?? 0) - compilation.parameterCount - 1;
      return compilation.input.literals[cut] ?? value;
    }
    return value;
  });
}
