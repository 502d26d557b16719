/** Answers of different engines, made comparable. */

/** Numbers by their first nine digits, because sums of float64 depend on their order; rows by their values alone. */
export function comparable(answer: unknown): string {
  return JSON.stringify(plain(typeof answer === 'string' ? resultOf(answer) : answer));
}

function resultOf(text: string): unknown {
  const { result } = JSON.parse(text) as { result: unknown };
  return Array.isArray(result) ? result : result === null ? [] : [result];
}

function plain(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value).toPrecision(9);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null) return Object.values(value).map(plain);
  if (typeof value !== 'string') return value;
  // Numbers that another engine writes as texts, and JSON that it keeps as one.
  if (/^[[{]/.test(value)) return plain(JSON.parse(value));
  return value !== '' && Number.isFinite(Number(value)) ? Number(value).toPrecision(9) : value;
}
