/** The identity record: permanent properties of a database, written when it is created. */

import { invariant } from '#base';
import { fail } from '#failure';
import { decodeFrame, encodeFrame } from './frame.ts';

const catalogModes = ['direct', 'schema'] as const;

/** The source of catalog changes: programs and the catalog endpoints (`direct`), or migrations of a schema file (`schema`). */
export type CatalogMode = (typeof catalogModes)[number];

const features = ['keys', 'policies'] as const;

/** A part of the database that a program must support, because without it the program would ignore a protection. `keys`: API keys were created. `policies`: row policies were set. */
export type Feature = (typeof features)[number];

export interface DatabaseIdentity {
  readonly mode: CatalogMode;
  /** A random identity, generated when the database is created. */
  readonly identity: string;
  /** If absent, every program supports the database. */
  readonly needs?: readonly Feature[];
}

/** The format of a record with `needs`. Programs that support only format 1 refuse the database. */
const formatWithNeeds = 2;

export function encodeIdentity({ mode, identity, needs = [] }: DatabaseIdentity): Uint8Array {
  if (needs.length === 0) return encodeFrame({ mode, identity });
  return encodeFrame({ mode, identity, needs }, formatWithNeeds);
}

/** Decodes the identity record. Throws `catalog_corrupt` if it is damaged, and `invalid` if the database needs a newer version of svc. */
export function decodeIdentity(bytes: Uint8Array): DatabaseIdentity {
  const found = decodeFrame(bytes, 'the identity record', read, formatWithNeeds);
  const unknown = found.needs?.find((feature) => !features.includes(feature));
  if (unknown === undefined) return found;
  const detail = `this database uses ${JSON.stringify(unknown)}, which this version of svc does not support; use a newer version`;
  throw fail('invalid', detail);
}

function read(content: unknown, format: number): DatabaseIdentity {
  const { mode, identity, needs } = content as DatabaseIdentity;
  invariant(catalogModes.includes(mode), 'the mode is one of two');
  invariant(typeof identity === 'string', 'the identity is a text');
  invariant(Array.isArray(needs) === (format === formatWithNeeds), 'the format fits the needs');
  return { mode, identity, ...(needs && { needs }) };
}
