/** The identity record: permanent properties of a database, written when it is created. */

import { invariant } from '#base';
import { decodeFrame, encodeFrame } from './frame.ts';

const catalogModes = ['direct', 'schema'] as const;

/** The source of catalog changes: programs and the catalog endpoints (`direct`), or migrations of a schema file (`schema`). */
export type CatalogMode = (typeof catalogModes)[number];

export interface DatabaseIdentity {
  readonly mode: CatalogMode;
  /** A random identity, generated when the database is created. */
  readonly identity: string;
}

export function encodeIdentity({ mode, identity }: DatabaseIdentity): Uint8Array {
  return encodeFrame({ mode, identity });
}

/** Decodes the identity record. Throws `catalog_corrupt` if it is damaged. */
export function decodeIdentity(bytes: Uint8Array): DatabaseIdentity {
  return decodeFrame(bytes, 'the identity record', (content) => {
    const { mode, identity } = content as DatabaseIdentity;
    invariant(catalogModes.includes(mode), 'the mode is one of two');
    invariant(typeof identity === 'string', 'the identity is a text');
    return { mode, identity };
  });
}
