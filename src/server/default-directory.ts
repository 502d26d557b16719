/** Where a file store is when nobody says so. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';

const current = 'svc.data';
/** The default of earlier versions. The executable has the same name, so that it could not stand beside its data. */
const earlier = 'svc';

/** `exists` tells whether a path is there. */
export function defaultDirectory(exists: (path: string) => boolean = existsSync): string {
  if (exists(current)) return current;
  return exists(join(earlier, 'manifest')) ? earlier : current;
}
