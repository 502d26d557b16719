/** Calls of functions. */

import type { FuncCall } from 'libpg-query';
import { isAggregate } from './aggregate-functions.ts';
import type { Env, Operand } from './compilation.ts';
import { operand } from './expression.ts';
import { builtinName, nameParts } from './nodes.ts';
import { scalarFunction } from './scalar-functions.ts';
import { sessionFunction } from './session-values.ts';
import { timeFunction } from './time-functions.ts';
import { typeTextOf } from './type-text.ts';

export function functionCall(env: Env, call: FuncCall): Operand {
  const { compilation, aggregates, clause } = env;
  const { funcname, over, location } = call;
  const name = builtinName(funcname);
  if (over !== undefined) {
    throw compilation.unsupported('a window function', location);
  }
  if (isAggregate(call)) {
    if (aggregates !== undefined) return aggregates.aggregate(call);
    const message =
      clause === 'aggregate'
        ? 'aggregate function calls cannot be nested'
        : `aggregate functions are not allowed in ${clause}`;
    throw compilation.error('42803', message, location);
  }
  refuseAggregateClauses(env, call);
  const args = (call.args ?? []).map((arg) => operand(env, arg));
  const found =
    name === undefined
      ? undefined
      : (sessionFunction(env, { name, args, location }) ??
        timeFunction(env, { name, args, location }) ??
        scalarFunction(env, { name, args, location }));
  if (found !== undefined) return found;
  const types = args.map(typeTextOf).join(', ');
  const message = `function ${nameParts(funcname).join('.')}(${types}) does not exist`;
  throw compilation.error('42883', message, location, {
    hint: 'No function matches the given name and argument types. You might need to add explicit type casts.',
  });
}

function refuseAggregateClauses({ compilation }: Env, call: FuncCall): void {
  const { agg_distinct, agg_filter, agg_order, agg_star, funcname, location } = call;
  const name = nameParts(funcname).join('.');
  const clause = agg_distinct
    ? 'DISTINCT'
    : agg_filter
      ? 'FILTER'
      : agg_order
        ? 'ORDER BY'
        : agg_star
          ? '(*)'
          : undefined;
  if (clause === undefined) return;
  const message = `${clause} specified, but ${name} is not an aggregate function`;
  throw compilation.error('42809', message, location);
}
