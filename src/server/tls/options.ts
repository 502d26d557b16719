/** `--tls-*` and `--internal-tls-*`: the certificates of a listener (docs/security.md). */

import { resolve } from 'node:path';
import { type Option, oneOf, refusal } from '../option.ts';

export interface TlsConfiguration {
  /** The start of the names of the options, for messages. */
  readonly prefix: TlsPrefix;
  /** Absolute paths. The first certificate is the default. */
  readonly pairs: readonly { readonly certPath: string; readonly keyPath: string }[];
  readonly minVersion: (typeof minVersions)[number];
  /** Absolute path of the authorities of client certificates. `undefined`: clients need no certificate. */
  readonly clientCaPath: string | undefined;
  /** Absolute path of the revocation lists of these authorities. */
  readonly clientCrlPath: string | undefined;
}

type TlsPrefix = 'tls' | 'internal-tls';

const minVersions = ['1.2', '1.3'] as const;

/** Returns `undefined` if the listener serves plain HTTP. Throws a `RefusedOption`. */
export function tlsOf(
  option: (name: string) => Option,
  prefix: TlsPrefix,
): TlsConfiguration | undefined {
  const [cert, key, minVersion, ca, crl] = [
    'cert',
    'key',
    'min-version',
    'client-ca',
    'client-crl',
  ].map((name) => option(`${prefix}-${name}`)) as [Option, Option, Option, Option, Option];
  const pairs = pairsOf(cert, key);
  if (pairs === undefined) {
    const stray = [minVersion, ca, crl].find(({ value }) => value !== undefined);
    if (stray !== undefined) throw refusal(stray, `only with --${prefix}-cert and --${prefix}-key`);
    return undefined;
  }
  if (crl.value !== undefined && ca.value === undefined)
    throw refusal(crl, `only with --${prefix}-client-ca`);
  return {
    prefix,
    pairs,
    minVersion: oneOf(minVersion, minVersions, '1.2'),
    clientCaPath: pathOf(ca, 'a file with the authorities of client certificates'),
    clientCrlPath: pathOf(crl, 'a file with certificate revocation lists'),
  };
}

function pairsOf(cert: Option, key: Option): TlsConfiguration['pairs'] | undefined {
  if (cert.value === undefined && key.value === undefined) return undefined;
  const keys = pathsOf(key);
  const certs = pathsOf(cert);
  if (certs.length === 0) throw refusal(cert, `a file with the certificate of --${key.name}`);
  if (keys.length === 0) throw refusal(key, `a file with the private key of --${cert.name}`);
  if (certs.length !== keys.length)
    throw refusal(key, `a private key for each --${cert.name}, in the same order`);
  return certs.map((certPath, i) => ({ certPath, keyPath: keys[i] as string }));
}

/** Returns the absolute paths of a repeatable option, whose values are joined by commas. */
function pathsOf({ value = '' }: Option): readonly string[] {
  const paths = value.split(',').map((path) => path.trim());
  return paths.every((path) => path !== '') ? paths.map((path) => resolve(path)) : [];
}

function pathOf(option: Option, expected: string): string | undefined {
  if (option.value === '') throw refusal(option, expected);
  return option.value === undefined ? undefined : resolve(option.value);
}
