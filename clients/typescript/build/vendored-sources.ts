/** The two modules in TypeScript that applications get: all of the client and the builder, and what tests use beside. */

import unchecked from '../vendored/unchecked.txt' with { type: 'text' };
import { joinModules } from './join-modules.ts';

/** `read` gives the text of a file of `../runtime`. */
export function vendoredSources(read: (path: string) => string): Readonly<Record<string, string>> {
  const testing = read('testing.ts').replace(`'./index.ts'`, `'./svc-runtime.gen.js'`);
  return {
    'svc-runtime.gen.ts': joinModules('index.ts', read),
    'svc-testing.gen.ts': unchecked + testing,
  };
}
