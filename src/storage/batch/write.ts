/** Immutable: a later write of the same key takes the slot with a new object. */
export interface Write {
  readonly bytes: Uint8Array;
  readonly keyFrom: number;
  /** The value, empty for a deletion, follows the key. */
  readonly keyTo: number;
  readonly valueTo: number;
  readonly isDelete: boolean;
}
