/** The messages of a server, in a short form for expectations. */

const decoder = new TextDecoder();

/** A message: its letter, and what matters of its content. */
export type Reply = readonly [type: string, ...content: unknown[]];

export function repliesIn(bytes: Uint8Array): readonly Reply[] {
  const found: Reply[] = [];
  for (let at = 0; at < bytes.length; ) {
    const type = String.fromCharCode(bytes[at] as number);
    const length = new DataView(bytes.buffer, bytes.byteOffset + at + 1).getInt32(0);
    found.push([type, ...contentOf(type, bytes.subarray(at + 5, at + 1 + length))]);
    at += 1 + length;
  }
  return found;
}

function contentOf(type: string, body: Uint8Array): readonly unknown[] {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  switch (type) {
    case 'Z':
      return [decoder.decode(body)];
    case 'C':
      return [decoder.decode(body.slice(0, -1))];
    case 'S':
      return decoder.decode(body.slice(0, -1)).split('\0');
    case 'K':
      return [view.getInt32(0), view.getInt32(4)];
    case 'R':
      return [view.getInt32(0)];
    case 'E':
    case 'N':
      return [fieldsOf(body)];
    case 'T':
      return [namesOf(body)];
    case 't':
      return [Array.from({ length: view.getInt16(0) }, (_, i) => view.getInt32(2 + 4 * i))];
    case 'D':
      return [cellsOf(body, view)];
    default:
      return body.length === 0 ? [] : [body.toHex()];
  }
}

function fieldsOf(body: Uint8Array): Readonly<Record<string, string>> {
  const parts = decoder
    .decode(body)
    .split('\0')
    .filter((part) => part !== '');
  return Object.fromEntries(parts.map((part) => [part[0], part.slice(1)]));
}

function namesOf(body: Uint8Array): readonly string[] {
  const names: string[] = [];
  for (let at = 2; at < body.length; ) {
    const end = body.indexOf(0, at);
    names.push(decoder.decode(body.subarray(at, end)));
    at = end + 19;
  }
  return names;
}

function cellsOf(body: Uint8Array, view: DataView): readonly (string | null)[] {
  const cells: (string | null)[] = [];
  for (let at = 2; at < body.length; ) {
    const length = view.getInt32(at);
    at += 4;
    cells.push(length < 0 ? null : decoder.decode(body.subarray(at, at + length)));
    at += Math.max(0, length);
  }
  return cells;
}
