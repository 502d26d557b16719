/** Crossings: a relation evaluated for the current row, as one datum (lir.md §8.1). */

import { unreachable } from '#base';
import type { Crossing } from '#lir';
import type { DatumType, OutputColumn } from '#value';
import type { BoundCrossing, BoundRelation } from './bound.ts';
import { duplicateName } from './columns.ts';
import { quoted } from './context.ts';
import { bindRelation } from './relation.ts';
import type { Site } from './site.ts';
import { bool } from './types.ts';

export function bindCrossing(site: Site, expression: Crossing): BoundCrossing {
  if (site.crossingRefusal !== undefined) {
    throw site.reject(expression, 'invalid', site.crossingRefusal);
  }
  const { context, scopes, enclosing: around } = site;
  const outer = new Set<number>();
  const { relation } = bindRelation(context, expression.node, {
    enclosing: { kind: 'row', scopes, read: outer, around },
    frontierRefusal: 'inside a crossing',
  });
  checkRelation(site, expression, relation);
  const type = typeOf(expression, relation);
  const nullable = expression.kind === 'first' || expression.kind === 'scalar';
  return { kind: 'crossing', crossing: expression.kind, relation, outer, type, nullable };
}

function checkRelation(site: Site, expression: Crossing, relation: BoundRelation): void {
  const { kind } = expression;
  if (kind === 'exists') return;
  const repeated = kind === 'scalar' ? undefined : duplicateName(relation.columns);
  if (repeated !== undefined) {
    throw site.reject(
      expression,
      'projection_collision',
      `duplicate column ${quoted(repeated)} in ${kind}`,
    );
  }
  if (
    kind === 'array'
      ? !relation.ordered
      : relation.rowsMax > 1 && !(kind === 'first' && relation.ordered)
  ) {
    throw site.reject(expression, 'nondeterministic_order', demands[kind]);
  }
  if (kind === 'scalar' && relation.columns.length !== 1) {
    const detail = `a scalar crossing needs exactly one column, got ${relation.columns.length}`;
    throw site.reject(expression, 'scalar_arity', detail);
  }
}

const demands = {
  array: 'an array crossing needs an ordered relation',
  first: 'a first crossing needs an ordered relation, or one of at most one row',
  scalar: 'a scalar crossing needs a relation of at most one row',
} as const;

function typeOf({ kind }: Crossing, { columns }: BoundRelation): DatumType {
  switch (kind) {
    case 'exists':
      return bool;
    case 'first':
      return { kind: 'row', columns: membersOf(columns) };
    case 'array':
      return { kind: 'array', columns: membersOf(columns) };
    case 'scalar':
      return columns[0]?.type ?? bool;
    default:
      return unreachable(kind);
  }
}

/** Members can be NULL whatever their columns declare: a left join may have padded them. */
function membersOf(columns: BoundRelation['columns']): readonly OutputColumn[] {
  return columns.map(({ name, type }) => ({ name, type, nullable: true }));
}
