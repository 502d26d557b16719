/** Statement families: queries that differ only in their literals and in the rows that they contain. */

import type { Query } from './query.ts';

/** Version of the canonical form below. */
const version = 2;

/**
 * Returns `<version>-sha256-<32 hex digits>` of the query as JSON with sorted members. Each literal is replaced by its type, also in limits and
 * offsets. Names of nodes and scopes are part of the family. `context` distinguishes what happens to the rows. The function is recursive, for
 * queries of bounded depth.
 */
export function familyOf(query: Query, context = ''): string {
  return fingerprintOf(`${context} ${JSON.stringify(query, canonical)}`);
}

/** Returns the family of a relation within the queries of a family; `part` distinguishes it from the other relations. */
export function familyOfPart(family: string, part: string): string {
  return fingerprintOf(`${family} ${part}`);
}

function fingerprintOf(text: string): string {
  const digest = new Bun.CryptoHasher('sha256').update(text).digest('hex');
  return `${version}-sha256-${digest.slice(0, 32)}`;
}

function canonical(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = value as Readonly<Record<string, unknown>>;
  const { kind } = members;
  if (kind === 'lit') return `lit ${(members['value'] as { readonly type: string }).type}`;
  const dropped = kind === 'rows' ? 'rows' : kind === 'literal' ? 'value' : undefined;
  const sorted: Record<string, unknown> = {};
  for (const name of Object.keys(members).sort()) {
    if (name !== dropped) sorted[name] = isCount(kind, name) ? 'lit int64' : members[name];
  }
  return sorted;
}

function isCount(kind: unknown, member: string): boolean {
  return kind === 'slice' && (member === 'limit' || member === 'offset');
}
