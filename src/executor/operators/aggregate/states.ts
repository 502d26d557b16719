/** Typed arrays with one state per group. They at least double when they grow. */

const lengthMin = 16;

/** Returns `states`, or a copy that is padded with zeros to at least `length` states. */
export function grownNumbers(states: Float64Array, length: number): Float64Array {
  if (states.length >= length) return states;
  const grown = new Float64Array(Math.max(length, 2 * states.length, lengthMin));
  grown.set(states);
  return grown;
}

/** Like `grownNumbers`, for flags. */
export function grownFlags(states: Uint8Array, length: number): Uint8Array {
  if (states.length >= length) return states;
  const grown = new Uint8Array(Math.max(length, 2 * states.length, lengthMin));
  grown.set(states);
  return grown;
}

export const noNumbers = new Float64Array(0);
export const noFlags = new Uint8Array(0);
