/** System relations in FROM. */

import type { Row } from '#value';
import type { ScopeColumn } from '../scope/scope.ts';
import type { VirtualRelation } from '../virtual/virtual-relation.ts';
import { column } from './build.ts';
import type { Compilation } from './compilation.ts';
import { lateRows } from './late.ts';

interface VirtualPart {
  readonly node: string;
  readonly columns: readonly ScopeColumn[];
}

/** Reads a system relation as rows. */
export function virtualPart(compilation: Compilation, relation: VirtualRelation): VirtualPart {
  const scope = compilation.name('s');
  const columns = relation.columns.map(({ name, type, nullable }, at) => ({
    name,
    expr: column(scope, `c${at + 1}`),
    type,
    nullable,
  }));
  const declared = relation.columns.map(({ type, nullable }, at) => ({
    name: `c${at + 1}`,
    type: type.stored,
    nullable,
  }));
  const node = compilation.node({ kind: 'rows', scope, columns: declared, rows: [] }, () =>
    lateRows(scope, declared, () => relation.rows as readonly Row[]),
  );
  return { node, columns };
}
