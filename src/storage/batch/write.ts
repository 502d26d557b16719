/** Refers to the bytes of one write without copying them. One object is reused for many writes. */
export interface Write {
  bytes: Uint8Array;
  keyFrom: number;
  /** End of the key and start of the value; the value of a tombstone is empty. */
  keyTo: number;
  valueTo: number;
  isTombstone: boolean;
}

const nothing = new Uint8Array(0);

/** Returns a new object to be filled repeatedly. */
export function emptyWrite(): Write {
  return { bytes: nothing, keyFrom: 0, keyTo: 0, valueTo: 0, isTombstone: false };
}
