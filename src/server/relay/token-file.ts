/** The file with the token that a writer and its readers share. */

import { RefusedOption } from '../refused-option.ts';
import { readSecret } from '../secret-file.ts';

const bytesMin = 32;

/** Reads the token without surrounding white space. Throws a `RefusedOption`. */
export function readToken(path: string): string {
  const token = readSecret('--relay-token-file', path);
  if (/^[\x21-\x7e]*$/.test(token) && token.length >= bytesMin) return token;
  throw new RefusedOption(
    '--relay-token-file',
    path,
    `a file with a token of ${bytesMin} bytes or more without white space, for example from \`openssl rand -hex 32\``,
  );
}
