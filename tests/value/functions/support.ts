/** Calls a function of the registry as a kernel would. */

import { type FunctionName, functions, overloadFor, type Scalar, type ScalarType } from '#value';

export function called(name: FunctionName, ...args: readonly Scalar[]): Scalar {
  return calledAs(name, args.map(typeOf), ...args);
}

/** Numbers can be int64 or float64, so that the types are given. */
export function calledAs(
  name: FunctionName,
  types: readonly ScalarType[],
  ...args: readonly Scalar[]
): Scalar {
  const at = overloadFor(
    name,
    types.map((type) => ({ type, adopts: 'nothing' })),
  );
  const overload = functions[name].overloads[at];
  if (overload === undefined) throw new Error(`${name}(${types.join(', ')}) does not exist`);
  return overload.apply(...args);
}

function typeOf(value: Scalar): ScalarType {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'number' || typeof value === 'bigint' ? 'int64' : 'bytes';
}
