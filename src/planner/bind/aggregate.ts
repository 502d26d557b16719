/** `aggregate`: group keys, then folds (aggregate functions), in one namespace of output names (docs/lir.md §5). */

import type { Steps } from '#base';
import type { AggregateNode, AggregateTerm, GroupTerm } from '#lir';
import { isScalarType } from '#value';
import type { BoundColumn, BoundExpression, BoundFold, BoundOutput } from './bound.ts';
import { quoted } from './context.ts';
import { bindCrossings } from './crossing.ts';
import { bindExpression, bindScalar, mistyped } from './expression.ts';
import type { ExpressionContext } from './expression-context.ts';
import type { NodeSite } from './node-site.ts';
import type { BoundInScope } from './relation-context.ts';
import { float64, int64, isNumeric, scalarOf } from './types.ts';

export function* bindAggregate(at: NodeSite, node: AggregateNode): Steps<BoundInScope> {
  at.checkWidth((node.groups?.length ?? 0) + (node.aggs?.length ?? 0));
  const { relation: input, scopes: visible } = yield* at.input(node.input, 'below an aggregate');
  const names = new Set<string>();
  const columns: BoundColumn[] = [];
  const add = (part: object, output: BoundOutput) => {
    if (names.has(output.name)) {
      const detail = `duplicate column ${quoted(output.name)} in aggregate`;
      throw at.site(`column ${output.name}`, visible).reject(part, 'projection_collision', detail);
    }
    names.add(output.name);
    columns.push(at.context.column(output));
  };
  const groups: BoundExpression[] = [];
  for (const [i, term] of (node.groups ?? []).entries()) {
    const site = at.site(`group ${i}`, visible);
    yield* bindCrossings(site, term.expr);
    groups.push(bindGroup(site, term, add));
  }
  const key = columns.map((column) => column.id);
  const folds: BoundFold[] = [];
  for (const term of node.aggs ?? []) {
    const site = at.site(`fold ${term.as}`, visible);
    if (term.arg !== undefined) yield* bindCrossings(site, term.arg);
    folds.push(bindFold(site, term, add));
  }
  const scopes = at.ownScope(columns);
  const isGlobal = node.groups === undefined;
  const facts = {
    columns,
    ordered: false,
    rowsMax: isGlobal ? 1 : input.rowsMax,
    key: isGlobal ? undefined : key,
  };
  const made = { groups, folds, isGlobal, ...facts };
  return { relation: { kind: 'aggregate', node: at.id, input, ...made }, scopes, pins: undefined };
}

type Add = (part: object, output: BoundOutput) => void;

function bindGroup(site: ExpressionContext, term: GroupTerm, add: Add): BoundExpression {
  const { expr } = term;
  const bound = bindScalar(site, expr, 'group key');
  const name = term.as ?? (expr.kind === 'col' ? expr.column : undefined);
  if (name === undefined) {
    throw site.reject(term, 'projection_collision', 'a computed group key needs a name in `as`');
  }
  add(term, { name, type: bound.type, nullable: bound.nullable });
  return bound;
}

function bindFold(site: ExpressionContext, term: AggregateTerm, add: Add): BoundFold {
  const { fn, arg, as: name } = term;
  const argument = arg && bindExpression(site, arg);
  if (argument === undefined && fn !== 'count') {
    throw mistyped(site, term, `${fn} needs an argument`);
  }
  if (argument !== undefined && !isScalarType(argument.type)) {
    throw mistyped(site, term, `${fn} needs a scalar argument, got ${argument.type.kind}`);
  }
  if (argument === undefined || fn === 'count') {
    add(term, { name, type: int64, nullable: false });
    return { fn, argument };
  }
  if ((fn === 'sum' || fn === 'avg') && !isNumeric(scalarOf(argument))) {
    throw mistyped(site, term, `${fn} needs an int64 or float64, got ${argument.type.kind}`);
  }
  add(term, { name, type: fn === 'avg' ? float64 : argument.type, nullable: true });
  return { fn, argument };
}
