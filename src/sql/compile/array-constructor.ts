/** Arrays of values that are known before the statement runs. */

import type { A_ArrayExpr } from 'libpg-query';
import type { SqlValue } from '../compiled.ts';
import { arrayOf } from '../types/registry.ts';
import { coerce } from './coerce.ts';
import { commonTypeOf } from './common-type.ts';
import type { Env, Typed } from './compilation.ts';
import { operand } from './expression.ts';

export function arrayConstructor(env: Env, { elements, location }: A_ArrayExpr): Typed {
  const { compilation } = env;
  if (elements === undefined) {
    throw compilation.error('42P18', 'cannot determine type of empty array', location, {
      hint: 'Explicitly cast to the desired type, for example ARRAY[]::integer[].',
    });
  }
  const operands = elements.map((element) => operand(env, element));
  const element = commonTypeOf(compilation, operands, 'ARRAY', location);
  const type = arrayOf(element);
  const sources = operands.map((one) => coerce(compilation, one, element, 'implicit').source);
  if (type === undefined || sources.some((source) => source === undefined)) {
    throw compilation.unsupported('an array of values that are not constant', location);
  }
  return compilation.value(
    type,
    (values) => sources.map((source) => source?.(values) ?? null) as readonly SqlValue[],
    false,
  );
}
