/** Which database has which place: two writers on one place would fence each other for ever. */

import type { Database } from './resource.ts';

/** By uid of a database that may not have its place: what it would share it with. */
export function refusedClaims(databases: readonly Database[]): ReadonlyMap<string, string> {
  const refused = new Map<string, string>();
  const accepted: Database[] = [];
  for (const database of [...databases].sort(byAge)) {
    const owner = accepted.find((other) => areOnePlace(database, other));
    if (owner === undefined) accepted.push(database);
    else refused.set(database.metadata.uid, shown(owner));
  }
  return refused;
}

function byAge({ metadata: a }: Database, { metadata: b }: Database): number {
  if (a.creationTimestamp !== b.creationTimestamp) {
    return a.creationTimestamp < b.creationTimestamp ? -1 : 1;
  }
  return a.uid < b.uid ? -1 : 1;
}

/** A prefix below another one is a part of it. */
function areOnePlace({ spec: { storage: a } }: Database, { spec: { storage: b } }: Database) {
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

function shown({ metadata: { namespace, name } }: Database): string {
  return `${namespace}/${name}`;
}
