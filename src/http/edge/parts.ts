/** Splits a response into parts. Each part is written to the socket in one call. */

const partBytes = 256 << 10;
/** Characters per part. In UTF-8, a part can take three times as many bytes. */
const partLength = partBytes;

/** Yields a piece as UTF-8, in parts of about 256 KiB. */
export function* toParts(piece: string | Uint8Array): Generator<Uint8Array> {
  if (typeof piece === 'string') return yield* textParts(piece);
  for (let from = 0; from < piece.length; from += partBytes) {
    yield piece.subarray(from, from + partBytes);
  }
}

function* textParts(text: string): Generator<Uint8Array> {
  for (let from = 0; from < text.length; ) {
    const to = boundaryAt(text, from + partLength);
    yield Buffer.from(text.slice(from, to));
    from = to;
  }
}

/** Returns the last character boundary at or before `at`. A surrogate pair is never split. */
function boundaryAt(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const isPair = (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  return isPair ? at - 1 : at;
}
