/** Powers with integer exponents, correctly rounded. The operator of the language multiplies repeatedly and loses digits: 100 ** 100 is not 1e200 there. */

/** Exponents of at most this magnitude take the exact way; the operator is precise for the others. */
export const exactExponentMax = 1000;

/** Number of leading bits that decide how the result is rounded, together with a bit for the rest. */
const leadingBits = 64;

/** Returns `base` to the power of an integer other than 0. `base` is not 0. */
export function integerPower(base: number, exponent: number): number {
  const quick = base ** exponent;
  if (exponent > 0 && Number.isInteger(base) && Number.isSafeInteger(quick)) return quick;
  const times = Math.abs(exponent);
  const { digits, scale } = binaryOf(Math.abs(base));
  const power = digits ** BigInt(times);
  const magnitude =
    exponent > 0 ? numberOf(power, scale * times) : reciprocal(power, scale * times);
  return base < 0 && times % 2 === 1 ? -magnitude : magnitude;
}

const float = new Float64Array(1);
const bits = new BigUint64Array(float.buffer);

/** Returns integers with value = digits × 2^scale. */
function binaryOf(value: number): { readonly digits: bigint; readonly scale: number } {
  float[0] = value;
  const word = bits[0] as bigint;
  const exponent = Number(word >> 52n);
  const fraction = word & ((1n << 52n) - 1n);
  let digits = exponent === 0 ? fraction : fraction | (1n << 52n);
  let scale = Math.max(exponent, 1) - 1075;
  for (; (digits & 1n) === 0n; scale++) digits >>= 1n;
  return { digits, scale };
}

function reciprocal(digits: bigint, scale: number): number {
  const shift = bitLength(digits) + leadingBits;
  const dividend = 1n << BigInt(shift);
  const rest = dividend % digits === 0n ? 0n : 1n;
  return numberOf(((dividend / digits) << 1n) | rest, -scale - shift - 1);
}

/** Returns the nearest number to digits × 2^scale. */
function numberOf(digits: bigint, scale: number): number {
  const dropped = Math.max(0, bitLength(digits) - leadingBits);
  const leading = digits >> BigInt(dropped);
  const rest = digits === leading << BigInt(dropped) ? 0n : 1n;
  const whole = Number((leading << 1n) | rest);
  const exponent = scale + dropped - 1;
  // In two steps, because a power of two alone can leave the range although the product does not.
  const half = Math.trunc(exponent / 2);
  return whole * 2 ** half * 2 ** (exponent - half);
}

function bitLength(value: bigint): number {
  const hex = value.toString(16);
  return hex.length * 4 - Math.clz32(Number.parseInt(hex.slice(0, 1), 16)) + 28;
}
