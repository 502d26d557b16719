/** The text of a float64 in the form of PostgreSQL. */

/** Returns the shortest digits that round-trip: plain notation for decimal exponents -4 to 14, otherwise an exponent of at least two digits. */
export function float64Text(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const magnitude = Math.abs(value);
  if (magnitude >= 1e-4 && magnitude < 1e15) return String(value);
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  return `${digits}e${exponent.slice(0, 1)}${exponent.slice(1).padStart(2, '0')}`;
}
