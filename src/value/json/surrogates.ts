/** Surrogates that a JSON text contains as escapes. */

/**
 * Returns the position of an escaped surrogate that is not part of a pair; -1 if there is none. The text must not contain unescaped lone
 * surrogates.
 */
export function loneEscapeAt(text: string): number {
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at)) {
    const half = surrogateAt(text, at);
    if (half === undefined) at += 2;
    else if (half === 'high' && surrogateAt(text, at + 6) === 'low') at += 12;
    else return at;
  }
  return -1;
}

/** Returns which half of a pair the escape at `at` is; `undefined` if it is not a surrogate. */
export function surrogateAt(text: string, at: number): 'high' | 'low' | undefined {
  const isOfPair =
    text.charCodeAt(at) === 0x5c &&
    text.charCodeAt(at + 1) === 0x75 &&
    (text.charCodeAt(at + 2) | 0x20) === 0x64;
  if (!isOfPair) return undefined;
  // The digits 8, 9, a, b and c to f, in either case.
  const digit = text.charCodeAt(at + 3) | 0x20;
  if (digit === 0x38 || digit === 0x39 || digit === 0x61 || digit === 0x62) return 'high';
  return digit >= 0x63 && digit <= 0x66 ? 'low' : undefined;
}
