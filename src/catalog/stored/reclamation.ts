/** Reclamation records: a column that is gone has left its cells in the rows of its table. Whole ranges need none, the store drops them. */

import { invariant } from '#base';
import { decodeFrame, encodeFrame } from './frame.ts';

export interface Reclamation {
  readonly physicalId: number;
  /** Schema id. */
  readonly table: number;
  /** The last row that was looked at, in hexadecimal digits; absent before the first. */
  readonly cursor?: string;
}

export function encodeReclamation(reclamation: Reclamation): Uint8Array {
  return encodeFrame(reclamation);
}

/** Throws `catalog_corrupt`. */
export function decodeReclamation(bytes: Uint8Array): Reclamation {
  return decodeFrame(bytes, 'a reclamation record', (content) => {
    const reclamation = content as Reclamation;
    invariant(Number.isSafeInteger(reclamation.table), 'a reclamation has a table');
    return reclamation;
  });
}
