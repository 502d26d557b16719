/** Chooses the directory of a file store if none is configured. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';

const current = 'svc.data';
/** The default of earlier versions. The executable has the same name, so it could not be next to its data. */
const earlier = 'svc';

/** Returns the default directory. `exists` returns whether a path exists. */
export function defaultDirectory(exists: (path: string) => boolean = existsSync): string {
  if (exists(current)) return current;
  return exists(join(earlier, 'manifest')) ? earlier : current;
}
