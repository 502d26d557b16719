/** Crossings: a relation evaluated for every row that needs it (docs/lir.md §8). */

import type { Crossing } from '#lir';
import type { Errors, Place } from './context.ts';
import { bindNode } from './node.ts';
import { failed, invalid } from './problem.ts';
import type { Column, Environment, Relation, Type } from './relation.ts';
import { ArrayValue, RowValue, type Value } from './value.ts';

export interface BoundCrossing {
  readonly type: Type;
  readonly nullable: boolean;
  readonly columns?: readonly Column[] | undefined;
  evaluate(environment: Environment): Value;
}

export function bindCrossing({ kind, node, check }: Crossing, place: Place): BoundCrossing {
  const relation = bindNode(node, place);
  const { errors } = place.document;
  const one = (env: Environment) => errors.tentatively(() => relation.evaluate(env));
  switch (kind) {
    case 'exists':
      return { type: 'bool', nullable: false, evaluate: (env) => one(env).length > 0 };
    case 'scalar': {
      if (check !== true) needOne(relation, false);
      const [column] = relation.columns;
      if (relation.columns.length !== 1) throw invalid('scalar_arity');
      return {
        ...(column as Column),
        nullable: true,
        evaluate: (env) => onlyCell(relation, env, errors),
      };
    }
    case 'first': {
      const names = uniqueNames(relation);
      needOne(relation, true);
      const evaluate = (env: Environment) => {
        const row = one(env)[0];
        return row === undefined ? null : new RowValue(names, row);
      };
      return { type: 'row', nullable: true, columns: relation.columns, evaluate };
    }
    case 'array': {
      const names = uniqueNames(relation);
      if (!relation.isOrdered) throw invalid('nondeterministic_order');
      const evaluate = (env: Environment) =>
        new ArrayValue(relation.evaluate(env).map((row) => new RowValue(names, row)));
      return { type: 'array', nullable: false, columns: relation.columns, evaluate };
    }
  }
}

/** Whoever meets a second row may stop before a row that fails, and the other way round. */
function onlyCell(relation: Relation, env: Environment, errors: Errors): Value {
  if (relation.bound <= 1) return relation.evaluate(env)[0]?.[0] ?? null;
  const rows = errors.tentatively(() => relation.evaluate(env));
  if (rows.length > 1) throw failed('cardinality_violation');
  return rows[0]?.[0] ?? null;
}

/** At most one row, or, where an order is enough, ordered. */
function needOne(relation: Relation, orderIsEnough: boolean): void {
  if (relation.bound <= 1 || (orderIsEnough && relation.isOrdered)) return;
  throw invalid('nondeterministic_order');
}

export function uniqueNames(
  relation: Relation,
  reason = 'projection_collision',
): readonly string[] {
  const names = relation.columns.map((column) => column.name);
  if (new Set(names).size !== names.length) throw invalid(reason, 'duplicate column');
  return names;
}
