/** `--auth-bootstrap-key-file`: the file with the first API key. */

import { idOfKey } from '#access';
import { RefusedOption } from '../refused-option.ts';
import { readSecret } from '../secret-file.ts';

const flag = '--auth-bootstrap-key-file';

/** Reads the key. Throws a `RefusedOption`, which does not contain the text. */
export function readKeyFile(path: string): string {
  const text = readSecret(flag, path);
  if (idOfKey(text) !== undefined) return text;
  throw new RefusedOption(flag, path, 'a file with one API key, from `svc key generate`');
}
