/** Formats a float64 as decimal text without an exponent, the form of a float64 column that is converted to text. */

/** Returns the shortest digits that round-trip, in plain positional notation and without a trailing `.0`. Negative zero is `-0`. */
export function formatPositional(value: number): string {
  if (Object.is(value, -0)) return '-0';
  const shortest = String(value);
  const e = shortest.indexOf('e');
  if (e < 0) return shortest;
  const sign = shortest.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = shortest.slice(sign.length, e).split('.');
  const digits = whole + fraction;
  const point = whole.length + Number(shortest.slice(e + 1));
  // In scientific notation of a float64, the point is never between the digits once the exponent is applied.
  return point <= 0
    ? `${sign}0.${'0'.repeat(-point)}${digits}`
    : `${sign}${digits}${'0'.repeat(point - digits.length)}`;
}
