/** UNION, INTERSECT and EXCEPT. */

import type { SelectStmt } from 'libpg-query';
import type { Scope, ScopeColumn } from '../scope/scope.ts';
import { column } from './build.ts';
import { commonTypeOf } from './common-type.ts';
import type { Compilation } from './compilation.ts';
import { type Draft, draftOf, retyped } from './query.ts';
import { finished } from './values.ts';

const constructs = {
  SETOP_UNION: 'UNION',
  SETOP_INTERSECT: 'INTERSECT',
  SETOP_EXCEPT: 'EXCEPT',
} as const;

export function setOperation(compilation: Compilation, stmt: SelectStmt, scope: Scope): Draft {
  const construct = constructs[stmt.op as keyof typeof constructs];
  const left = draftOf(compilation, stmt.larg as SelectStmt, scope);
  const right = draftOf(compilation, stmt.rarg as SelectStmt, scope);
  if (left.outputs.length !== right.outputs.length) {
    const message = `each ${construct} query must have the same number of columns`;
    throw compilation.error('42601', message, undefined);
  }
  const types = left.outputs.map(({ operand }, at) => {
    const other = right.outputs[at] as (typeof right.outputs)[number];
    const type = commonTypeOf(compilation, [operand, other.operand], construct, undefined);
    if (type.element === undefined && type.name !== 'json' && type.name !== 'jsonb') return type;
    throw compilation.unsupported(`${construct} of arrays and JSON`, undefined);
  });
  const sides = [left.finish(types), right.finish(types)] as const;
  const label = compilation.name('s');
  const columns = sides[0].columns.map(
    (one, at): ScopeColumn => ({
      name: one.name,
      expr: column(label, `c${at + 1}`),
      type: one.type,
      nullable: sides.some((side) => (side.columns[at] as ScopeColumn).nullable),
    }),
  );
  const node = combined(compilation, stmt, [sides[0].node, sides[1].node], label);
  const query = finished(compilation, stmt, { node, columns });
  return {
    outputs: columns.map((one) => ({ name: one.name, operand: one })),
    finish: (wanted) => retyped(compilation, query, wanted),
  };
}

function combined(
  compilation: Compilation,
  { op, all }: SelectStmt,
  [left, right]: readonly [string, string],
  scope: string,
): string {
  if (op === 'SETOP_UNION') {
    const node = compilation.node({ kind: 'concatenate', inputs: [left, right], scope });
    return all ? node : compilation.node({ kind: 'distinct', input: node });
  }
  const kind = op === 'SETOP_INTERSECT' ? 'intersect' : 'except';
  const quantifier = all ? 'all' : 'distinct';
  return compilation.node({ kind, left, right, quantifier, scope });
}
