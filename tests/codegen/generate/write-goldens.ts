/** `bun run tests/codegen/generate/write-goldens.ts`: writes the golden files and the specimen again. What has changed is then read, not assumed. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { goldens } from './schemas.ts';
import { moduleOf, specimenPath, specimenText } from './specimen.ts';

const folder = join(import.meta.dir, 'golden');
rmSync(folder, { recursive: true, force: true });
for (const golden of goldens) {
  await Bun.write(join(folder, `${golden.name}.gen.ts`), moduleOf(golden, '../../../../'));
}
await Bun.write(specimenPath, specimenText());
