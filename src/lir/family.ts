/** Families: queries that differ in nothing but their literals and the rows that they bring along. */

import type { Query } from './query.ts';

/** Of the canonical form below. */
const version = 2;

/**
 * `<version>-sha256-<32 hex digits>` of the query as JSON with sorted members, in which each literal is its type alone, limits and offsets among them. Names of nodes and scopes count.
 * `context` tells apart what is done with the rows. Recursive: for queries of bounded depth.
 */
export function familyOf(query: Query, context = ''): string {
  return fingerprintOf(`${context} ${JSON.stringify(query, canonical)}`);
}

/** Of a relation within the queries of a family; `part` tells it from the others. */
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
