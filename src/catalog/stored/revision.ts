/** Revision records: one for each version of the schema. They are immutable, and the newest ones are retained. */

import { invariant } from '#base';
import { fail } from '#failure';
import { canonicalSchema, schemaHash } from '../rendering/canonical.ts';
import type { Catalog } from '../table.ts';
import { decodeFrame, encodeFrame } from './frame.ts';

/** Number of revision records that are retained. */
export const revisionsMax = 256;

interface Revision {
  readonly version: number;
  readonly createdAtMs: number;
  readonly hash: string;
  /** Canonical schema JSON. */
  readonly schema: string;
}

interface StoredRevision {
  readonly version: number;
  readonly created_at: number;
  readonly hash: string;
  readonly schema: string;
}

/** Returns the revision record of a committed catalog, which must have a commit time. */
export function revisionOf(catalog: Catalog): Revision {
  const { version, versionAtMs } = catalog;
  invariant(versionAtMs !== undefined, 'a committed version has its time');
  return {
    version,
    createdAtMs: versionAtMs,
    hash: schemaHash(catalog),
    schema: canonicalSchema(catalog),
  };
}

export function encodeRevision({ version, createdAtMs, hash, schema }: Revision): Uint8Array {
  return encodeFrame({ version, created_at: createdAtMs, hash, schema } satisfies StoredRevision);
}

/** Decodes the record of a schema revision. Throws `catalog_corrupt` if it is damaged. */
export function decodeRevision(bytes: Uint8Array): Revision {
  return decodeFrame(bytes, 'a revision record', (content) => {
    const { version, created_at: createdAtMs, hash, schema } = content as StoredRevision;
    invariant(typeof schema === 'string' && typeof hash === 'string', 'a revision has a schema');
    return { version, createdAtMs, hash, schema };
  });
}

/** Throws `catalog_schema_drift` if `revision`, the record of the catalog's version, is missing or does not describe the catalog. */
export function checkRevision(catalog: Catalog, revision: Revision | undefined): void {
  if (catalog.version === 0 && revision === undefined) return;
  if (revision?.version === catalog.version && revision.hash === schemaHash(catalog)) return;
  throw fail(
    'catalog_schema_drift',
    revision === undefined
      ? `the revision record of schema version ${catalog.version} is missing`
      : `the revision record of schema version ${catalog.version} describes a different schema than the stored catalog`,
  );
}
