/** Reads PEM files, and refuses unusable and incomplete ones. `flag` is the option that names the file. */

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { refuseReadableByOthers, refuseWritableByOthers } from '../file-access.ts';
import { RefusedOption } from '../refused-option.ts';

const bytesMax = 1 << 20;

/** Returns the PEM text of certificates that other users cannot replace, and the certificates. Throws a `RefusedOption`. */
export function readCertificates(flag: string, path: string) {
  const pem = readPem(flag, path);
  refuseWritableByOthers(flag, path);
  const blocks = blocksIn(flag, path, { pem, kind: 'CERTIFICATE', name: 'certificate' });
  const certificates = blocks.map((block, i) => {
    try {
      return new X509Certificate(block);
    } catch (error) {
      const expected = `PEM certificates (number ${i + 1} cannot be read: ${(error as Error).message})`;
      throw new RefusedOption(flag, path, expected);
    }
  });
  return { pem, certificates };
}

interface PairFiles {
  readonly certPath: string;
  readonly keyPath: string;
}

/** Returns the PEM texts of a certificate chain and of its private key, and the first certificate. Throws a `RefusedOption`. */
export function readPair(
  flags: { readonly cert: string; readonly key: string },
  { certPath, keyPath }: PairFiles,
) {
  const { pem: cert, certificates } = readCertificates(flags.cert, certPath);
  const { pem: key, secret } = readPrivateKey(flags.key, keyPath);
  const leaf = certificates[0] as X509Certificate;
  if (leaf.checkPrivateKey(secret)) return { cert, key, leaf };
  const expected = `the private key of the first certificate in ${certPath}`;
  throw new RefusedOption(flags.key, keyPath, expected);
}

/** Returns the PEM text of certificate revocation lists. Throws a `RefusedOption`. */
export function readRevocations(flag: string, path: string): string {
  const pem = readPem(flag, path);
  refuseWritableByOthers(flag, path);
  blocksIn(flag, path, { pem, kind: 'X509 CRL', name: 'certificate revocation list' });
  return pem;
}

/** Returns a private key that other users cannot read. Throws a `RefusedOption`. */
function readPrivateKey(flag: string, path: string): { pem: string; secret: KeyObject } {
  const pem = readPem(flag, path);
  refuseReadableByOthers(flag, path);
  try {
    return { pem, secret: createPrivateKey(pem) };
  } catch {
    const expected = 'a file with a PEM private key that is not encrypted';
    throw new RefusedOption(flag, path, expected);
  }
}

function readPem(flag: string, path: string): string {
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

interface Wanted {
  readonly pem: string;
  readonly kind: string;
  readonly name: string;
}

/** Returns the complete blocks. Throws if there is none, or if the last one has no end, because the file is being written. */
function blocksIn(flag: string, path: string, { pem, kind, name }: Wanted): readonly string[] {
  const begin = `-----BEGIN ${kind}-----`;
  const end = `-----END ${kind}-----`;
  const [, ...blocks] = pem.split(begin);
  if (blocks.length === 0) throw new RefusedOption(flag, path, `a file with a PEM ${name}`);
  const complete = blocks.map((block) => block.split(end, 1)[0] as string);
  if (blocks.every((block) => block.includes(end)))
    return complete.map((body) => `${begin}${body}${end}\n`);
  throw new RefusedOption(flag, path, `a complete PEM file (a ${name} has no END line)`);
}
