/** Definitions of the requests and responses about API keys (docs/http.md). */

import { type Static, Type } from '@sinclair/typebox';
import { scopes } from '#access';
import { closed, int64, list, name, oneOf, optional, ref } from '../schema/shapes.ts';

const time = (description: string) =>
  Type.String({ description: `${description}, as RFC 3339.`, format: 'date-time' });

const scopesOf = (description: string) => list(description, oneOf('A scope.', scopes));

const grants = list(
  'Tables that the scopes `read` and `write` are limited to, each as `TABLE:ACTIONS`, such as `orders:read,create`. `*` means all tables. If absent, all tables; if empty, none.',
  name('A grant.'),
);

const claims = Type.Unsafe<Readonly<Record<string, string | number | boolean>>>({
  description: 'Facts about the holder, by name.',
  type: 'object',
  additionalProperties: { $ref: '#/$defs/ClaimValue' },
});

const policies = oneOf('Whether row policies apply to the key.', ['enforce', 'bypass']);

const limit = (description: string) => int64(description, { minimum: 1 });

const KeyLimits = closed('Limits of one key. Without a limit, the limit of the server applies.', {
  rate: optional(limit('Requests per second.')),
  concurrency: optional(limit('Programs at the same time.')),
  deadline_ms: optional(limit('Time of a request in milliseconds.')),
  memory_mib: optional(limit('Memory of a program in MiB.')),
});

const limits = ref<Readonly<Record<string, number>>>('KeyLimits');

const KeyRequest = closed('A new API key.', {
  name: name('A name for people.'),
  scopes: list(
    `The scopes, at least one: ${scopes.map((scope) => `\`${scope}\``).join(', ')}.`,
    name('A scope.'),
  ),
  grants: optional(grants),
  claims: optional(claims),
  policies: optional(policies),
  expires_in: optional(
    name('The length of life, such as `90s`, `15m`, `24h` or `30d`, or `never`; default `90d`.'),
  ),
  limits: optional(limits),
});

const KeyRotateRequest = closed('The replacement of a key.', {
  grace: optional(
    name(
      'The time for which the old key stays valid, such as `90s`, `15m`, `24h` or `30d`; default `24h`.',
    ),
  ),
});

const record = {
  id: name('The id of the key.'),
  name: name('The name of the key.'),
  scopes: scopesOf('The scopes of the key.'),
  grants: optional(grants),
  claims,
  policies,
  limits,
  created_at: time('Time of the creation'),
  by: name(
    'The creator: the id of a key, issuer and subject of a token, `open` for a client of a server without authentication, `offline` or `bootstrap`.',
  ),
  expires_at: optional(time('Time of the expiry; absent if the key never expires')),
  replaces: optional(name('The id of the key that this one replaces.')),
};

export const keyDefinitions = {
  ClaimValue: Type.Unsafe<string | number | boolean>({
    description: 'The value of a claim.',
    type: ['string', 'number', 'boolean'],
  }),
  KeyLimits,
  KeyRequest,
  KeyRotateRequest,
  Key: closed('An API key, without its secret.', {
    ...record,
    revoked_at: optional(time('Time of the revocation')),
    last_used_at: optional(time('Time of the last use, exact to an hour')),
  }),
  CreatedKey: closed('A new API key. The response is the only one that contains `key`.', {
    ...record,
    key: name('The text of the key, which clients send as `Authorization: Bearer KEY`.'),
  }),
  KeyList: closed('The API keys of the database.', {
    auth_version: int64('Number of changes of keys.', { minimum: 0 }),
    keys: list('The keys, oldest first.', ref('Key')),
  }),
  PrincipalInfo: closed('The client, as the server sees it.', {
    kind: oneOf('`open` on a server without authentication, else the kind of access token.', [
      'open',
      'key',
      'token',
    ]),
    id: optional(name('The id of the key, or the subject of the token.')),
    issuer: optional(name('The issuer of the token.')),
    scopes: scopesOf('The scopes of the client.'),
    grants: optional(grants),
    policies,
    expires_at: optional(time('Time at which the key expires')),
  }),
};

export type KeyRequestBody = Static<typeof KeyRequest>;
export type KeyRotateBody = Static<typeof KeyRotateRequest>;
