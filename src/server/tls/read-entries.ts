/** Reads the files of a TLS configuration. */

import type { X509Certificate } from 'node:crypto';
import type { TlsConfiguration } from './options.ts';
import { readCertificates, readPair, readRevocations } from './pem.ts';
import type { TlsEntry } from './tls-entry.ts';

/** TLS 1.3 as the runtime expects it: it does not accept the name of a version. */
const tls13 = 0x0304;

const namePattern = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i;

/**
 * Returns the entries of a listener: the default without a name, then one for each name in a certificate. If several
 * certificates contain a name, the first one presents it. All entries have the same rules for clients, because a client
 * chooses the entry. Throws a `RefusedOption` that names the unusable file.
 */
export function readTlsEntries(configuration: TlsConfiguration): readonly TlsEntry[] {
  const { prefix, pairs } = configuration;
  const rules = rulesOf(configuration);
  const flags = { cert: `--${prefix}-cert`, key: `--${prefix}-key` };
  const read = pairs.map((files) => {
    const { cert, key, leaf } = readPair(flags, files);
    return { entry: { ...rules, cert, key }, names: namesOf(leaf) };
  });
  const [first] = read as [(typeof read)[number]];
  // A single certificate is presented for every name.
  if (read.length === 1) return [first.entry];
  const byName = new Map<string, TlsEntry>();
  for (const { entry, names } of read) {
    for (const serverName of names)
      if (!byName.has(serverName)) byName.set(serverName, { ...entry, serverName });
  }
  return [first.entry, ...byName.values()];
}

function rulesOf({ prefix, minVersion, clientCaPath, clientCrlPath }: TlsConfiguration) {
  const version = minVersion === '1.3' ? { minVersion: tls13 } : {};
  if (clientCaPath === undefined) return version;
  const { pem: ca } = readCertificates(`--${prefix}-client-ca`, clientCaPath);
  const gate = { ...version, ca, requestCert: true, rejectUnauthorized: true } as const;
  if (clientCrlPath === undefined) return gate;
  return { ...gate, crl: readRevocations(`--${prefix}-client-crl`, clientCrlPath) };
}

/** Returns the DNS names of a certificate in lower case, or its common name if it has none. */
function namesOf({ subjectAltName, subject }: X509Certificate): readonly string[] {
  const alternative = (subjectAltName ?? '')
    .split(', ')
    .filter((name) => name.startsWith('DNS:'))
    .map((name) => name.slice('DNS:'.length));
  const common = /^CN=(.+)$/m.exec(subject)?.[1];
  const names = alternative.length > 0 || common === undefined ? alternative : [common];
  return names.filter((name) => namePattern.test(name)).map((name) => name.toLowerCase());
}
