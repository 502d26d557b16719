/** Reclamation records: what is in the store without meaning anything any more, and has not been removed yet. */

import { invariant } from '#base';
import { decodeFrame, encodeFrame } from './frame.ts';

export type Reclamation =
  /** Everything under a physical id: rows, entries, violations. */
  | { readonly kind: 'ranges'; readonly physicalId: number }
  /** The cells of a column in the rows of a table (schema id). `cursor`: the last row that was rewritten, in hexadecimal digits. */
  | {
      readonly kind: 'column';
      readonly physicalId: number;
      readonly table: number;
      readonly cursor?: string;
    };

export function encodeReclamation(reclamation: Reclamation): Uint8Array {
  return encodeFrame(reclamation);
}

/** Throws `catalog_corrupt`. */
export function decodeReclamation(bytes: Uint8Array): Reclamation {
  return decodeFrame(bytes, 'a reclamation record', (content) => {
    const reclamation = content as Reclamation;
    invariant(['ranges', 'column'].includes(reclamation.kind), 'a reclamation has a known kind');
    return reclamation;
  });
}
