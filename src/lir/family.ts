/** Families: queries that differ in nothing but their literals and the rows that they bring along. */

import type { Query } from './query.ts';

/** Of the canonical form below. */
const version = 1;

/**
 * `<version>-sha256-<32 hex digits>` of the query as JSON with sorted members, in which each literal is its type alone. Names of nodes and scopes count.
 * `context` tells apart what is done with the rows. Recursive: for queries of bounded depth.
 */
export function familyOf(query: Query, context = ''): string {
  const text = JSON.stringify(query, canonical);
  const digest = new Bun.CryptoHasher('sha256').update(`${context} ${text}`).digest('hex');
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
    if (name !== dropped) sorted[name] = members[name];
  }
  return sorted;
}
