/** An entry where it lies: the key is `key[keyFrom, keyTo)`, the value `value[valueFrom, valueTo)`, and a deletion has none. Views of it would cost more than the rest. */

export interface EntrySpan {
  key: Uint8Array;
  keyFrom: number;
  keyTo: number;
  value: Uint8Array;
  valueFrom: number;
  valueTo: number;
  isDelete: boolean;
}

const nothing = new Uint8Array();

/** To be filled, again and again. */
export function emptySpan(): EntrySpan {
  return {
    key: nothing,
    keyFrom: 0,
    keyTo: 0,
    value: nothing,
    valueFrom: 0,
    valueTo: 0,
    isDelete: false,
  };
}

/** `value` undefined is a deletion. */
export function spanOf(key: Uint8Array, value: Uint8Array | undefined): EntrySpan {
  return {
    key,
    keyFrom: 0,
    keyTo: key.length,
    value: value ?? nothing,
    valueFrom: 0,
    valueTo: value?.length ?? 0,
    isDelete: value === undefined,
  };
}
