/** JSON with exact integers, for tests: integers beyond 2^53 become bigint. */

type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown;

const exact: Reviver = (_name, value, { source }) => {
  const isBig = typeof value === 'number' && !Number.isSafeInteger(value);
  return isBig && source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
};

export function parseLossless(text: string): unknown {
  return JSON.parse(text, exact as (name: string, value: unknown) => unknown);
}
