/** A float64 as decimal text without an exponent: what a converted column holds. */

/** The shortest digits that round-trip, in plain positional notation, without a trailing `.0`; negative zero is `-0`. */
export function formatPositional(value: number): string {
  if (Object.is(value, -0)) return '-0';
  const shortest = String(value);
  const e = shortest.indexOf('e');
  if (e < 0) return shortest;
  const sign = shortest.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = shortest.slice(sign.length, e).split('.');
  const digits = whole + fraction;
  const point = whole.length + Number(shortest.slice(e + 1));
  // Scientific notation of a float64 puts the point outside the digits, at one end or the other.
  return point <= 0
    ? `${sign}0.${'0'.repeat(-point)}${digits}`
    : `${sign}${digits}${'0'.repeat(point - digits.length)}`;
}
