/** Reclamation records: the rows of a table still contain cells of a deleted column. A deleted table or index needs no record, because the store drops its range. */

import { invariant } from '#base';
import { decodeFrame, encodeFrame } from './frame.ts';

export interface Reclamation {
  readonly physicalId: number;
  /** Schema id. */
  readonly table: number;
  /** The key of the last processed row, in hexadecimal digits; absent before the first row. */
  readonly cursor?: string;
}

export function encodeReclamation(reclamation: Reclamation): Uint8Array {
  return encodeFrame(reclamation);
}

/** Decodes the record of a reclamation. Throws `catalog_corrupt` if it is damaged. */
export function decodeReclamation(bytes: Uint8Array): Reclamation {
  return decodeFrame(bytes, 'a reclamation record', (content) => {
    const reclamation = content as Reclamation;
    invariant(Number.isSafeInteger(reclamation.table), 'a reclamation has a table');
    return reclamation;
  });
}
