/** Encodes data with int64 and float64 values as JSON, without the loss of a digit or a sign. */

/** The types of TypeScript do not include `JSON.rawJSON` yet. */
const rawJson = (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON;

export function encodeExact(value: unknown): string {
  return JSON.stringify(value, exact);
}

function exact(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return rawJson(String(value));
  return Object.is(value, -0) ? rawJson('-0.0') : value;
}
