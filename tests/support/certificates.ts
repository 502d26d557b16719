/** Certificates of an authority of the test's own, made by openssl when the test runs. */

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Certificates {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Paths of PEM files in `directory`: the authority, a certificate of it for 127.0.0.1, and its key. */
export function makeCertificates(directory: string, name: string): Certificates {
  const path = (kind: string) => join(directory, `${name}-${kind}`);
  const [ca, caKey, cert, key] = ['ca.pem', 'ca.key', 'cert.pem', 'cert.key'].map(path) as [
    string,
    string,
    string,
    string,
  ];
  const request = path('request.pem');
  const extensions = path('extensions');
  writeFileSync(extensions, 'subjectAltName=IP:127.0.0.1\n');
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...curve, '-keyout', caKey, '-out', ca, '-subj', `/CN=${name} CA`);
  openssl('req', '-new', ...curve, '-keyout', key, '-out', request, '-subj', '/CN=127.0.0.1');
  const signer = ['-CA', ca, '-CAkey', caKey, '-CAcreateserial', '-days', '2'];
  openssl('x509', '-req', '-in', request, ...signer, '-extfile', extensions, '-out', cert);
  chmodSync(key, 0o600);
  return { ca, cert, key };
}

function openssl(...argv: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(['openssl', ...argv]);
  if (exitCode !== 0) throw new Error(`openssl ${argv[0]}: ${stderr}`);
}
