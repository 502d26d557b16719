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

/** Paths of a certificate with its key. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority that issues and revokes certificates. */
export interface Authority {
  /** Path of the certificate. */
  readonly ca: string;
  /** Issues a certificate. Without names, it is that of a client. */
  issue(name: string, names?: readonly string[]): Pair;
  /** Revokes a certificate. Returns the path of the new revocation list. */
  revoke(pair: Pair): string;
}

export function makeAuthority(directory: string, name: string): Authority {
  const path = (file: string) => join(directory, `${name}-${file}`);
  const [ca, caKey, index, number, settings, crl] = [
    'ca.pem',
    'ca.key',
    'index',
    'number',
    'settings',
    'crl.pem',
  ].map(path) as [string, string, string, string, string, string];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...curve, '-keyout', caKey, '-out', ca, '-subj', `/CN=${name}`);
  writeFileSync(index, '');
  writeFileSync(number, '01\n');
  const section = `database=${index}\ncrlnumber=${number}\ndefault_md=sha256\ndefault_crl_days=30\n`;
  writeFileSync(settings, `[ca]\ndefault_ca=own\n[own]\n${section}`);
  const asAuthority = ['ca', '-config', settings, '-cert', ca, '-keyfile', caKey];
  return {
    ca,
    issue(subject, names = []) {
      const [key, cert, request, extensions] = ['key', 'pem', 'csr', 'ext'].map((kind) =>
        path(`${subject}.${kind}`),
      ) as [string, string, string, string];
      openssl('req', '-new', ...curve, '-keyout', key, '-out', request, '-subj', `/CN=${subject}`);
      const alternative = names.map((one) => (/^[\d.]+$/.test(one) ? `IP:${one}` : `DNS:${one}`));
      const extension = names.length === 0 ? '' : `subjectAltName=${alternative.join(',')}\n`;
      writeFileSync(extensions, extension);
      const signer = ['-CA', ca, '-CAkey', caKey, '-CAcreateserial', '-days', '20'];
      openssl('x509', '-req', '-in', request, ...signer, '-extfile', extensions, '-out', cert);
      chmodSync(key, 0o600);
      return { cert, key };
    },
    revoke({ cert }) {
      openssl(...asAuthority, '-revoke', cert);
      openssl(...asAuthority, '-gencrl', '-out', crl);
      return crl;
    },
  };
}
