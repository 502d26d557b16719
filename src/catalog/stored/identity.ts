/** The identity record: what a database is from its first moment on. */

import { invariant } from '#base';
import { decodeFrame, encodeFrame } from './frame.ts';

const catalogModes = ['direct', 'schema'] as const;

/** What changes the catalog: its endpoints and programs, or migrations of a schema file. */
export type CatalogMode = (typeof catalogModes)[number];

export interface DatabaseIdentity {
  readonly mode: CatalogMode;
  /** Random, drawn when the database is created. */
  readonly identity: string;
}

export function encodeIdentity({ mode, identity }: DatabaseIdentity): Uint8Array {
  return encodeFrame({ mode, identity });
}

/** Throws `catalog_corrupt`. */
export function decodeIdentity(bytes: Uint8Array): DatabaseIdentity {
  return decodeFrame(bytes, 'the identity record', (content) => {
    const { mode, identity } = content as DatabaseIdentity;
    invariant(catalogModes.includes(mode), 'the mode is one of two');
    invariant(typeof identity === 'string', 'the identity is a text');
    return { mode, identity };
  });
}
