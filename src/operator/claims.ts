/** Decides which database owns a storage location. Two writers on one location would fence each other repeatedly. */

import type { DatabaseResource } from './resource.ts';

/**
 * Returns the databases that must not use their storage location: the uid of each, and the name of the database that
 * owns the location. The older database owns it.
 */
export function refusedClaims(databases: readonly DatabaseResource[]): ReadonlyMap<string, string> {
  const refused = new Map<string, string>();
  const accepted: DatabaseResource[] = [];
  for (const database of [...databases].sort(byAge)) {
    const owner = accepted.find((other) => areOnePlace(database, other));
    if (owner === undefined) accepted.push(database);
    else refused.set(database.metadata.uid, shown(owner));
  }
  return refused;
}

function byAge({ metadata: a }: DatabaseResource, { metadata: b }: DatabaseResource): number {
  if (a.creationTimestamp !== b.creationTimestamp) {
    return a.creationTimestamp < b.creationTimestamp ? -1 : 1;
  }
  return a.uid < b.uid ? -1 : 1;
}

/** Returns whether two databases share a storage location. A prefix below another prefix is a part of it. */
function areOnePlace(
  { spec: { storage: a } }: DatabaseResource,
  { spec: { storage: b } }: DatabaseResource,
) {
  if (a.bucket !== b.bucket || serverOf(a.endpoint) !== serverOf(b.endpoint)) return false;
  const [left, right] = [prefixOf(a.prefix), prefixOf(b.prefix)];
  return left.startsWith(right) || right.startsWith(left);
}

function serverOf(endpoint: string | undefined): string {
  return endpoint === undefined || !URL.canParse(endpoint) ? '' : new URL(endpoint).host;
}

function prefixOf(prefix: string): string {
  const trimmed = prefix.replace(/^\/+|\/+$/g, '');
  return trimmed === '' ? '' : `${trimmed}/`;
}

function shown({ metadata: { namespace, name } }: DatabaseResource): string {
  return `${namespace}/${name}`;
}
