/** Checks the secrets that the pods need to identify their clients, and creates the one with the first API key. */

import { drawKey, idOfKey } from '#access';
import type { Random } from '#base';
import { secretKeys } from './access-members.ts';
import type { ClusterApi } from './api.ts';
import { no, type Verdict, yes } from './conditions.ts';
import type { ClusterObject } from './objects.ts';
import { acceptsKeys, adminKeySecretOf, modeOf } from './pod-access.ts';
import type { DatabaseResource } from './resource.ts';

interface AccessParts {
  readonly api: ClusterApi;
  readonly random: Random;
  /** The writer deployment of the database, if it exists. */
  readonly writer: ClusterObject | undefined;
}

/** Returns whether the pods can be created or changed. The first key is created if it is missing. */
export async function accessVerdict(
  database: DatabaseResource,
  { api, random, writer }: AccessParts,
): Promise<Verdict> {
  const { metadata, spec } = database;
  const { namespace, name } = metadata;
  if (spec.authentication === undefined && isOpen(writer)) return no('NotChosen', notChosen);
  const mode = modeOf(spec);
  const isPlain = spec.tls === undefined || spec.route?.scheme === 'http';
  if (mode !== 'none' && isPlain) return no('NoTls', noTls);
  const { certificate, privateKey, keySet } = secretKeys;
  const needed: readonly (readonly [secret: string | undefined, ...keys: string[]])[] = [
    [spec.tls?.secretName, certificate, privateKey],
    [spec.authentication?.jwt?.keySetSecretRef?.name, keySet],
  ];
  for (const [secretName, ...keys] of needed) {
    if (secretName === undefined) continue;
    const { data = {} } = (await api.secret(namespace, secretName)) ?? {};
    const missing = keys.filter((key) => (data[key] ?? '') === '');
    if (missing.length > 0) {
      const message = `secret ${secretName} does not exist or has no ${missing.join(' and no ')}`;
      return no('SecretMissing', message);
    }
  }
  if (!acceptsKeys(spec)) return mode === 'none' ? yes('None', everyClient) : yes('Jwt', byToken);
  const secretName = adminKeySecretOf(name);
  if (!(await hasAdminKey(database, { api, random }))) {
    const message = `secret ${secretName} has no API key in ${secretKeys.adminKey}; put the text of \`svc key generate\` there, or delete the secret`;
    return no('KeyMissing', message);
  }
  return yes(
    mode === 'keys' ? 'Keys' : 'KeysAndJwt',
    `the first API key of the database is that of secret ${secretName}`,
  );
}

const notChosen =
  'spec.authentication is not set, and the pods accept every client; set spec.authentication.mode. The pods stay unchanged until then';
const noTls =
  'clients may send their keys and tokens only by TLS: set spec.tls.secretName or spec.tls.behindProxy, and spec.route.scheme to https; or set spec.authentication.mode to none';
const everyClient = 'every client that reaches a pod can read and change all data';
const byToken = 'clients are identified by the tokens of the issuer';

/** Returns whether the pods are older than authentication: the operator then started them with SVC_INSECURE. */
function isOpen(writer: ClusterObject | undefined): boolean {
  return JSON.stringify(writer?.['spec'] ?? {}).includes('"SVC_INSECURE"');
}

/**
 * The secret belongs to no resource, because the key stays in the bucket when the resource is deleted. An existing secret
 * is never changed.
 */
async function hasAdminKey(
  { metadata: { namespace, name } }: DatabaseResource,
  { api, random }: Omit<AccessParts, 'writer'>,
): Promise<boolean> {
  const secretName = adminKeySecretOf(name);
  const found = await api.secret(namespace, secretName);
  if (found === undefined) {
    const labels = {
      'app.kubernetes.io/name': 'svc',
      'app.kubernetes.io/instance': name,
      'app.kubernetes.io/managed-by': 'svc-operator',
    };
    const key = Buffer.from(drawKey(random).text).toString('base64');
    const data = { [secretKeys.adminKey]: key };
    if (await api.createSecret(namespace, secretName, { labels, data })) return true;
  }
  const { data = {} } = found ?? (await api.secret(namespace, secretName)) ?? {};
  const text = Buffer.from(data[secretKeys.adminKey] ?? '', 'base64')
    .toString('utf8')
    .trim();
  return idOfKey(text) !== undefined;
}
