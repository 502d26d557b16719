/** The settings, files and probes by which the pods of a database identify their clients and encrypt their connections. */

import { type AuthenticationMode, secretKeys } from './access-members.ts';
import type { DatabaseSpec } from './resource.ts';

export type Role = 'write' | 'read';

const directories = { adminKey: '/keys/admin', certificate: '/keys/tls', keySet: '/keys/jwks' };

/** A secret whose keys are files of a pod. */
export interface SecretVolume {
  readonly name: string;
  readonly secretName: string;
  readonly keys: readonly string[];
  readonly path: string;
}

/** Returns the mode of a database. Without a member, it is that of new databases. */
export function modeOf({ authentication }: DatabaseSpec): AuthenticationMode {
  return (authentication?.mode ?? 'keys') as AuthenticationMode;
}

export function acceptsKeys(spec: DatabaseSpec): boolean {
  return modeOf(spec).startsWith('keys');
}

/** Returns the name of the secret with the first API key. */
export function adminKeySecretOf(name: string): string {
  return `${name}-admin-key`;
}

export function accessEnvironment(spec: DatabaseSpec, role: Role): Record<string, string> {
  const { tls, authentication } = spec;
  const mode = modeOf(spec);
  const { jwt } = authentication ?? {};
  return {
    SVC_AUTH: mode,
    ...(mode === 'none' ? { SVC_INSECURE: 'true' } : {}),
    ...(acceptsKeys(spec) && role === 'write'
      ? { SVC_AUTH_BOOTSTRAP_KEY_FILE: `${directories.adminKey}/${secretKeys.adminKey}` }
      : {}),
    ...(jwt && {
      SVC_AUTH_ISSUER: jwt.issuer,
      SVC_AUTH_AUDIENCE: jwt.audience,
      SVC_AUTH_PROFILE: jwt.profile,
      ...(jwt.keySetUrl !== undefined && { SVC_AUTH_JWKS_URL: jwt.keySetUrl }),
      ...(jwt.keySetSecretRef && {
        SVC_AUTH_JWKS_FILE: `${directories.keySet}/${secretKeys.keySet}`,
      }),
    }),
    ...(hasCertificate(spec) && {
      SVC_TLS_CERT: `${directories.certificate}/${secretKeys.certificate}`,
      SVC_TLS_KEY: `${directories.certificate}/${secretKeys.privateKey}`,
    }),
    ...(tls?.behindProxy === true && { SVC_BEHIND_TLS_PROXY: 'true' }),
    ...(tls?.trustedProxies?.length && { SVC_TRUSTED_PROXY: tls.trustedProxies.join(',') }),
  };
}

/** Returns whether the pods accept TLS themselves. */
export function hasCertificate({ tls }: DatabaseSpec): boolean {
  return tls?.secretName !== undefined;
}

/** Returns the secrets that a pod needs. Only the writer creates the first key of a database. */
export function secretVolumesOf(
  name: string,
  spec: DatabaseSpec,
  role: Role,
): readonly SecretVolume[] {
  const { tls, authentication } = spec;
  const { keySetSecretRef } = authentication?.jwt ?? {};
  const { certificate, privateKey, adminKey, keySet } = secretKeys;
  return [
    ...(acceptsKeys(spec) && role === 'write'
      ? [
          {
            name: 'admin-key',
            secretName: adminKeySecretOf(name),
            keys: [adminKey],
            path: directories.adminKey,
          },
        ]
      : []),
    ...(tls?.secretName === undefined
      ? []
      : [
          {
            name: 'tls',
            secretName: tls.secretName,
            keys: [certificate, privateKey],
            path: directories.certificate,
          },
        ]),
    ...(keySetSecretRef === undefined
      ? []
      : [
          {
            name: 'jwks',
            secretName: keySetSecretRef.name,
            keys: [keySet],
            path: directories.keySet,
          },
        ]),
  ];
}
