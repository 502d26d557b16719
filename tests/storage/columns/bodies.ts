/** Bodies of rows and their cells, made as docs/storage-format.md has them. */

export interface Cell {
  readonly id: number;
  /** Undefined is NULL. */
  readonly bytes: Uint8Array | undefined;
}

/** A body as docs/storage-format.md, "Rows", has it. */
export function bodyOf(cells: readonly Cell[], isAscii: boolean): Uint8Array {
  const ids = cells.map(({ id }) => id);
  const isListed = ids.some((id, i) => id !== (ids[0] as number) + i);
  const lengths = cells.map(({ bytes }) => bytes?.length ?? 0);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const width = total < 0x100 ? 1 : total < 0x1_0000 ? 2 : 4;
  const flags = 0x10 | (width >> 1) | (isListed ? 4 : 0) | (isAscii ? 8 : 0);
  const u32 = (value: number) => [0, 8, 16, 24].map((shift) => (value >>> shift) & 0xff);
  const nulls = new Uint8Array((cells.length + 7) >> 3);
  for (const [i, { bytes }] of cells.entries()) {
    if (bytes === undefined) nulls[i >> 3] = (nulls[i >> 3] as number) | (1 << (i & 7));
  }
  const listed = isListed ? ids : ids.slice(0, 1);
  const ends = lengths.flatMap((_, i) => {
    const end = lengths.slice(0, i + 1).reduce((sum, length) => sum + length, 0);
    return u32(end).slice(0, width);
  });
  return Uint8Array.from([
    ...[flags, cells.length & 0xff, cells.length >> 8],
    ...listed.flatMap(u32),
    ...nulls,
    ...ends,
    ...cells.flatMap(({ bytes }) => [...(bytes ?? [])]),
  ]);
}

export function rowKey(table: number, row: number): Uint8Array {
  const key = new Uint8Array(14);
  key[0] = 0x20;
  const view = new DataView(key.buffer);
  view.setUint32(1, table);
  key[5] = 4;
  view.setUint32(6, 0x8000_0000);
  view.setUint32(10, row);
  return key;
}

export const text = (value: string) => new TextEncoder().encode(value);
const eight = (write: (view: DataView) => void) => {
  const bytes = new Uint8Array(8);
  write(new DataView(bytes.buffer));
  return bytes;
};
export const float = (value: number) => eight((view) => view.setFloat64(0, value, true));
export const long = (value: bigint) => eight((view) => view.setBigInt64(0, value, true));
export function int(value: number): Uint8Array {
  if (value === 0) return new Uint8Array(0);
  const length = value === (value << 24) >> 24 ? 1 : value === (value << 16) >> 16 ? 2 : 4;
  if (value !== (value | 0)) return long(BigInt(value));
  return Uint8Array.from({ length }, (_, i) => value >> (8 * i));
}
