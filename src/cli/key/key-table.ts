/** API keys as a table for people. */

import type { KeyRecord } from '#access';
import { textTable } from '../frame/text-table.ts';

const header = ['ID', 'NAME', 'SCOPES', 'GRANTS', 'STATE', 'EXPIRES', 'LAST USED', 'CREATED BY'];

export function keyTable(keys: readonly KeyRecord[], nowMs: number): string {
  const rows = keys.map((key) => [
    key.id,
    key.name,
    key.scopes.join(' '),
    key.grants === undefined ? 'all tables' : key.grants.join(' ') || 'none',
    stateOf(key, nowMs),
    minuteOf(key.expires_at) ?? 'never',
    minuteOf(key.last_used_at) ?? '',
    key.by,
  ]);
  return textTable('keys', header, rows);
}

function stateOf({ revoked_at, expires_at }: KeyRecord, nowMs: number): string {
  if (revoked_at !== undefined) return 'revoked';
  // Times of one form have the order of their texts.
  const now = new Date(nowMs).toISOString();
  return expires_at !== undefined && expires_at <= now ? 'expired' : 'live';
}

function minuteOf(time: string | undefined): string | undefined {
  return time?.slice(0, 16).replace('T', ' ');
}
