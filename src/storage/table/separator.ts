/** Short keys that separate two blocks. */

/** Returns a short key at or above `left` and below `right`. `left` must be below `right`. */
export function separatorBetween(left: Uint8Array, right: Uint8Array): Uint8Array {
  let shared = 0;
  while (shared < left.length && left[shared] === right[shared]) shared++;
  // `left` is a prefix of `right`, so no shorter key is between them.
  if (shared === left.length) return left;
  const byte = left[shared] as number;
  const above = byte + 1;
  const isLastOfRight = shared + 1 === right.length;
  if (above < (right[shared] as number) || (above === right[shared] && !isLastOfRight)) {
    return shared + 1 < left.length ? raised(left, shared) : left;
  }
  // The bytes are adjacent values: raise the first later byte of `left` that can be raised.
  for (let at = shared + 1; at + 1 < left.length; at++) {
    if (left[at] !== 0xff) return raised(left, at);
  }
  return left;
}

function raised(key: Uint8Array, at: number): Uint8Array {
  const separator = key.slice(0, at + 1);
  separator[at] = (separator[at] as number) + 1;
  return separator;
}
