/** An answer in parts that a socket is asked to take at once. */

const partBytes = 256 << 10;
/** Of text; in UTF-8 a part takes up to three times as much. */
const partLength = partBytes;

/** A piece in UTF-8, in parts of about 256 KiB. */
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

/** The last boundary of characters at or before `at`: a surrogate pair is not cut. */
function boundaryAt(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const isPair = (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  return isPair ? at - 1 : at;
}
