/** Certificates and the key of the statistics relay, read from files that are checked at startup. */

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { RefusedOption } from '../refused-option.ts';
import type { TlsEntry } from '../tls/tls-entry.ts';

const bytesMax = 1 << 20;
/** Permissions of the key file for users other than its owner and its group. */
const permittedToAll = 0o007;

const certificatePattern = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** Reads the files of a writer. Throws a `RefusedOption` that names the unusable file. */
export function readServerTls(certPath: string, keyPath: string): TlsEntry {
  const [cert, key] = [
    pemOf('--internal-tls-cert', certPath),
    pemOf('--internal-tls-key', keyPath),
  ];
  const [leaf] = certificatesIn('--internal-tls-cert', certPath, cert);
  refuseExposed(keyPath);
  const secret = keyIn(keyPath, key);
  if (leaf?.checkPrivateKey(secret)) return { cert, key };
  const expected = `the private key of the first certificate in ${certPath}`;
  throw new RefusedOption('--internal-tls-key', keyPath, expected);
}

/** Reads the PEM authorities that a reader trusts instead of those of the system. Throws a `RefusedOption`. */
export function readAuthorities(path: string): string {
  const pem = pemOf('--relay-ca', path);
  certificatesIn('--relay-ca', path, pem);
  return pem;
}

function pemOf(flag: string, path: string): string {
  const refused = (expected: string) => new RefusedOption(flag, path, expected);
  try {
    const found = statSync(path);
    if (!found.isFile()) throw refused('a regular file');
    if (found.size > bytesMax) throw refused(`a file of at most ${bytesMax} bytes`);
    // Editors of some systems add a byte order mark, which PEM parsers reject.
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    if (error instanceof RefusedOption) throw error;
    throw refused(`a file that can be read: ${(error as Error).message}`);
  }
}

function certificatesIn(flag: string, path: string, pem: string): readonly X509Certificate[] {
  const found = pem.match(certificatePattern) ?? [];
  if (found.length === 0) throw new RefusedOption(flag, path, 'a file with a PEM certificate');
  return found.map((one, i) => {
    try {
      return new X509Certificate(one);
    } catch (error) {
      const expected = `PEM certificates (number ${i + 1} cannot be read: ${(error as Error).message})`;
      throw new RefusedOption(flag, path, expected);
    }
  });
}

function keyIn(path: string, pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    const expected = 'a file with a PEM private key that is not encrypted';
    throw new RefusedOption('--internal-tls-key', path, expected);
  }
}

function refuseExposed(path: string): void {
  if (process.platform === 'win32' || (statSync(path).mode & permittedToAll) === 0) return;
  const expected = `a file that other users cannot read or write (chmod 600 ${path})`;
  throw new RefusedOption('--internal-tls-key', path, expected);
}
