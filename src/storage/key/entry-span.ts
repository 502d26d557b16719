/**
 * Refers to the bytes of an entry without copying them: the key is `key[keyFrom, keyTo)` and the value `value[valueFrom, valueTo)`, empty
 * for a tombstone. Creating views instead would cost more than the rest of the work.
 */

export interface EntrySpan {
  key: Uint8Array;
  keyFrom: number;
  keyTo: number;
  value: Uint8Array;
  valueFrom: number;
  valueTo: number;
  isTombstone: boolean;
}

const nothing = new Uint8Array();

/** Returns a new object to be filled repeatedly. */
export function emptySpan(): EntrySpan {
  return {
    key: nothing,
    keyFrom: 0,
    keyTo: 0,
    value: nothing,
    valueFrom: 0,
    valueTo: 0,
    isTombstone: false,
  };
}

/** Returns the span of an entry. An `undefined` value is a tombstone. */
export function spanOf(key: Uint8Array, value: Uint8Array | undefined): EntrySpan {
  return {
    key,
    keyFrom: 0,
    keyTo: key.length,
    value: value ?? nothing,
    valueFrom: 0,
    valueTo: value?.length ?? 0,
    isTombstone: value === undefined,
  };
}
