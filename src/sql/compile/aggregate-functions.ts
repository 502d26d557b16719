/** Aggregate functions. */

import type { FuncCall, Node } from 'libpg-query';
import type { AggregateFunction, Expression } from '#lir';
import { plainTypeText, sqlTypes } from '../types/registry.ts';
import type { SqlType } from '../types/sql-type.ts';
import { hoisted } from './build.ts';
import { categoryOf, isFloat, isInteger, settled } from './coerce.ts';
import type { Env, Typed } from './compilation.ts';
import { condition } from './condition.ts';
import { operand } from './expression.ts';
import { builtinName } from './nodes.ts';

export interface AggregateCall {
  readonly fn: AggregateFunction;
  readonly type: SqlType;
  readonly arg: Typed | undefined;
  readonly isDistinct: boolean;
}

const supported: ReadonlySet<string> = new Set([
  'count',
  'sum',
  'avg',
  'min',
  'max',
  'bool_and',
  'bool_or',
  'every',
]);

const unsupportedAggregates: ReadonlySet<string> = new Set([
  'array_agg',
  'string_agg',
  'json_agg',
  'jsonb_agg',
  'json_object_agg',
  'jsonb_object_agg',
  'stddev',
  'stddev_pop',
  'stddev_samp',
  'variance',
  'var_pop',
  'var_samp',
  'percentile_cont',
  'percentile_disc',
  'mode',
  'bit_and',
  'bit_or',
  'bit_xor',
  'corr',
  'covar_pop',
  'covar_samp',
  'xmlagg',
]);

export function isAggregate({ funcname, over }: FuncCall): boolean {
  const name = builtinName(funcname);
  if (name === undefined || over !== undefined) return false;
  return supported.has(name) || unsupportedAggregates.has(name);
}

/** Compiles the call of an aggregate over the rows of `env`. */
export function aggregateOf(env: Env, call: FuncCall): AggregateCall {
  const { compilation } = env;
  const { funcname, args = [], agg_star, agg_distinct, agg_filter, location } = call;
  const name = builtinName(funcname) as string;
  if (!supported.has(name)) throw compilation.unsupported(`aggregate ${name}`, location);
  const found = agg_star ? undefined : argument(env, call, name, args);
  // The order of rows and repeated values do not change these results.
  const isDistinct = agg_distinct === true && ['count', 'sum', 'avg'].includes(name);
  const fn = functionOf(name);
  const type = resultType(name, found?.type);
  if (type === undefined) throw missing(env, name, found, location);
  const filtered = agg_filter && condition({ ...env, clause: 'FILTER' }, agg_filter, 'true').expr;
  return { fn, type, isDistinct, arg: filtered ? filteredArgument(env, found, filtered) : found };
}

function argument(
  env: Env,
  { location, agg_distinct }: FuncCall,
  name: string,
  args: readonly Node[],
): Typed {
  const { compilation } = env;
  const [only] = args;
  if (only === undefined && name === 'count') {
    throw compilation.error(
      '42809',
      'count(*) must be used to call a parameterless aggregate function',
      location,
    );
  }
  if (only === undefined || args.length > 1) {
    throw compilation.error('42883', `function ${name}() does not exist`, location, {
      hint: 'No function matches the given name and argument types. You might need to add explicit type casts.',
    });
  }
  const value = operand(env, only);
  // DISTINCT compares the values, and so they are text.
  const isAny = name === 'count' && agg_distinct !== true;
  if (isAny && value.type === undefined && value.of.kind === 'parameter') {
    const message = `could not determine data type of parameter $${value.of.number}`;
    throw compilation.error('42P18', message, location);
  }
  return settled(compilation, value);
}

function functionOf(name: string): AggregateFunction {
  // FALSE is less than TRUE.
  if (name === 'bool_and' || name === 'every') return 'min';
  return name === 'bool_or' ? 'max' : (name as AggregateFunction);
}

function resultType(name: string, type: SqlType | undefined): SqlType | undefined {
  if (name === 'count') return sqlTypes.int8;
  if (type === undefined) return undefined;
  switch (name) {
    case 'sum':
      if (isInteger(type)) return sqlTypes.int8;
      return isFloat(type) ? type : undefined;
    case 'avg':
      return isInteger(type) || isFloat(type) ? sqlTypes.float8 : undefined;
    case 'min':
    case 'max':
      return extremeType(type);
    default:
      return type.name === 'bool' ? type : undefined;
  }
}

function extremeType(type: SqlType): SqlType | undefined {
  const category = categoryOf(type);
  if (category === 'text') return type.name === 'bpchar' || type.format ? type : sqlTypes.text;
  return category === 'number' || category === 'time' ? type : undefined;
}

function missing({ compilation }: Env, name: string, arg: Typed | undefined, location?: number) {
  const types = arg === undefined ? '*' : plainTypeText(arg.type);
  return compilation.error('42883', `function ${name}(${types}) does not exist`, location, {
    hint: 'No function matches the given name and argument types. You might need to add explicit type casts.',
  });
}

/** Makes the argument NULL, which aggregates ignore, in rows that FILTER leaves out. */
function filteredArgument({ compilation }: Env, arg: Typed | undefined, when: Expression): Typed {
  const value = arg ?? compilation.constant(sqlTypes.int8, 1);
  const none: Expression = { kind: 'lit', value: { type: value.type.stored } };
  const expr = hoisted(compilation, {
    kind: 'branch',
    branches: [{ when, then: value.expr }],
    else: none,
  });
  return { type: value.type, expr, nullable: true };
}
