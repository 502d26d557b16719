/** The command line that runs `svc` in a process of its own. */

import { join, resolve } from 'node:path';

const root = join(import.meta.dir, '..', '..');
const executable = process.env['SVC_TEST_BINARY'];

/** The executable that `SVC_TEST_BINARY` names (a path from the root of the repository), or the source without it. An executable starts in a seventh of the time. */
export const program: readonly string[] =
  executable === undefined ? fromSource(root) : [resolve(root, executable)];

/** The source tree at `tree`. */
export function fromSource(tree: string): readonly string[] {
  return [process.execPath, 'run', join(tree, 'src/main.ts')];
}
