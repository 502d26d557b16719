/** A write where it lies: of many, one object shows one after the other. */
export interface Write {
  bytes: Uint8Array;
  keyFrom: number;
  /** The value, empty for a deletion, follows the key. */
  keyTo: number;
  valueTo: number;
  isDelete: boolean;
}

const nothing = new Uint8Array(0);

/** To be filled, again and again. */
export function emptyWrite(): Write {
  return { bytes: nothing, keyFrom: 0, keyTo: 0, valueTo: 0, isDelete: false };
}
