/** Whole numbers up to 2^53 in eight bytes, little-endian. */

const twoTo32 = 0x1_0000_0000;

export function setNumber(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % twoTo32, true);
  view.setUint32(at + 4, Math.floor(value / twoTo32), true);
}

export function getNumber(view: DataView, at: number): number {
  return view.getUint32(at + 4, true) * twoTo32 + view.getUint32(at, true);
}
