/** Formats numbers as JSON text that shows whether the number is a float. */

/**
 * Returns the shortest digits that round-trip, with a fraction or an exponent: plain notation for decimal exponents -5 to 15, otherwise
 * `d.ddde±x` without a plus sign. Integral values in plain notation end in `.0`, negative zero is `-0.0`.
 */
export function formatFloat64(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude < 1e16 && (magnitude >= 1e-5 || value === 0)) {
    if (!Number.isInteger(value)) return String(value);
    return Object.is(value, -0) ? '-0.0' : `${value}.0`;
  }
  return value.toExponential().replace('+', '');
}
