/** Operations on API keys. */

import { scopes } from '#access';
import { jsonType, type Operation, scope } from '../operation.ts';
import { apiKey } from '../parameters.ts';

const tag = 'Access';

const unknown = { description: 'No key has this id.', body: 'Problem' };

export const keyOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/auth/self',
    id: 'showPrincipal',
    needs: 'token',
    tag,
    summary: 'Returns the permissions of the client',
    description: 'Without authentication, every client is `open` and has all scopes.',
    answers: { 200: { description: 'The client.', body: 'PrincipalInfo' } },
    examples: [{ answer: { kind: 'open', scopes: [...scopes], policies: 'bypass' } }],
  },
  {
    method: 'GET',
    path: '/auth/keys',
    id: 'listKeys',
    needs: scope('admin'),
    tag,
    summary: 'Lists all API keys',
    description: 'Returns all members of the keys except the secret and its hash.',
    answers: { 200: { description: 'The keys, oldest first.', body: 'KeyList' } },
    examples: [{ answer: { auth_version: 0, keys: [] } }],
  },
  {
    method: 'POST',
    path: '/auth/keys',
    id: 'createKey',
    needs: scope('admin'),
    tag,
    summary: 'Creates an API key',
    description:
      'The response contains the text of the key, which the server does not store. Grants refer to the table, so they follow it when it is renamed. `update` and `delete` need `read` on the same table, because their results contain rows. Grants cannot be combined with the scopes `schema` and `admin`.',
    body: { type: jsonType, definition: 'KeyRequest' },
    answers: { 201: { description: 'The key.', body: 'CreatedKey' } },
    examples: [
      {
        status: 201,
        body: { name: 'importer', scopes: ['read', 'write'], expires_in: '30d' },
        answer: {
          id: '0V3bJ8mQz5Tn',
          key: 'svck_0V3bJ8mQz5Tn_1gmVdfbeUC2BsZUy8bS5o6iZqm0oHq4vYkLr9QfAbCd0NkXwz',
          name: 'importer',
          scopes: ['read', 'write'],
          claims: {},
          policies: 'enforce',
          limits: {},
          created_at: '2026-11-27T10:00:00.000Z',
          by: 'open',
          expires_at: '2026-12-27T10:00:00.000Z',
        },
        varying: ['id', 'key', 'created_at', 'expires_at'],
      },
    ],
  },
  {
    method: 'DELETE',
    path: '/auth/keys/{key}',
    id: 'revokeKey',
    needs: scope('admin'),
    tag,
    summary: 'Revokes an API key',
    description:
      'After the response, no write with this key is committed. A second revocation changes nothing. The last live key with the scope `admin` cannot be revoked, unless tokens can have this scope.',
    parameters: [apiKey],
    answers: { 204: { description: 'The key is revoked.' }, 404: unknown },
  },
  {
    method: 'POST',
    path: '/auth/keys/{key}/rotate',
    id: 'rotateKey',
    needs: scope('admin'),
    tag,
    summary: 'Replaces an API key',
    description:
      'Creates a key with the same permissions and length of life. The old key expires after `grace`, or earlier if its own expiry is earlier. A revoked or expired key cannot be replaced. The body may be absent.',
    parameters: [apiKey],
    body: { type: jsonType, definition: 'KeyRotateRequest' },
    answers: { 201: { description: 'The new key.', body: 'CreatedKey' }, 404: unknown },
  },
];
