/** Generated modules with the runtime as it lies in the source, so that the compiler of the repository checks them as they are. */

import { join } from 'node:path';
import { schema } from '../specimen/schema.ts';
import { filesOf, textOf } from './files.ts';
import type { Golden } from './schemas.ts';

const runtime = 'clients/typescript/runtime/index.ts';

/** The module of the small forum: what the tests of the builder use. */
export const specimenPath = join(import.meta.dir, '..', 'specimen', 'db.ts');

export function specimenText(): string {
  const target = '- {language: typescript, output: db, imports: ts}';
  return moduleOf({ name: 'specimen', schema: JSON.stringify(schema), target }, '../../../');
}

/** `up`: the way from the module to the top of the repository. */
export function moduleOf({ schema, target }: Golden, up: string): string {
  const text = textOf(filesOf(schema, target), 'db.gen.ts');
  return text.replaceAll('./svc-runtime.gen.ts', up + runtime);
}
