/** Checks the API keys of a running server. Only administrators can list them. */

import type { KeyRecord } from '#access';
import type { KeyApi } from '#client';
import type { Check } from './report-checks.ts';
import { finding, serverCheck } from './server-check.ts';

interface KeyCheckParts {
  /** Returns `undefined` without an access token. */
  readonly connect: () => Pick<KeyApi, 'list'> | undefined;
  readonly acceptsKeys: boolean;
  /** Whether tokens of an issuer can have the scope `admin`. */
  readonly acceptsTokens: boolean;
  readonly isReader: boolean;
  readonly nowMs: number;
}

const dayMs = 86_400_000;
const unusedDays = 90;
const lastAdminDays = 14;
/** Maximum number of ids in a message. */
const shownMax = 5;

/** After all times. */
const never = '~';

const noToken =
  'not checked: only administrators can list the keys; name the file of an admin key in --access-token-file or SVC_ACCESS_TOKEN_FILE';

export function checkKeys(parts: KeyCheckParts): Promise<Check> {
  const { connect, acceptsKeys, isReader } = parts;
  return serverCheck('keys', async () => {
    if (!acceptsKeys) return finding('pass', 'the server accepts no API keys');
    if (isReader) return finding('pass', 'the keys are those of the writer; check them there');
    const api = connect();
    if (api === undefined) return finding('warning', noToken);
    return findingsIn((await api.list()).keys, parts);
  });
}

function findingsIn(
  all: readonly KeyRecord[],
  { acceptsTokens, nowMs }: Pick<KeyCheckParts, 'acceptsTokens' | 'nowMs'>,
): ReturnType<typeof finding> {
  // Times of one form have the order of their texts.
  const at = (days: number) => new Date(nowMs + days * dayMs).toISOString();
  const endOf = (key: KeyRecord) => key.expires_at ?? never;
  const live = all.filter((key) => key.revoked_at === undefined && endOf(key) > at(0));
  const adminEnds = live.filter(({ scopes }) => scopes.includes('admin')).map(endOf);
  const lastEnd = adminEnds.sort().at(-1) ?? never;
  const endless = live.filter((key) => key.expires_at === undefined);
  const unused = live.filter((key) => (key.last_used_at ?? key.created_at) < at(-unusedDays));
  const open = live.filter(({ by }) => by === 'open');
  const isEnding = !acceptsTokens && lastEnd < at(lastAdminDays);
  const findings = [
    ...(isEnding ? [`the last admin key expires on ${lastEnd.slice(0, 10)}: rotate it`] : []),
    ...advice(
      open,
      'created by a client without authentication: revoke them if you do not know them',
    ),
    ...advice(unused, `not used for ${unusedDays} days: revoke them`),
    ...advice(endless, 'without expiry: replace them by keys that expire'),
  ];
  const details = {
    live: live.length,
    open: idsOf(open),
    unused: idsOf(unused),
    without_expiry: idsOf(endless),
  };
  if (findings.length > 0) return finding('warning', findings.join('; '), details);
  return finding('pass', `${live.length} live keys, all of which expire and are in use`, details);
}

function advice(keys: readonly KeyRecord[], text: string): readonly string[] {
  if (keys.length === 0) return [];
  const more = keys.length > shownMax ? ` and ${keys.length - shownMax} more` : '';
  return [`keys ${idsOf(keys).slice(0, shownMax).join(' ')}${more} ${text}`];
}

function idsOf(keys: readonly KeyRecord[]): readonly string[] {
  return keys.map(({ id }) => id);
}
