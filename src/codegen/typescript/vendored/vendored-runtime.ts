/** The part of a TypeScript client that is the same for every schema, as files of the application. */

import checkedBefore from './checked-before.txt' with { type: 'text' };
import runtimeTypes from './svc-runtime.d.ts.txt' with { type: 'text' };
import runtimeScript from './svc-runtime.js.txt' with { type: 'text' };
import runtime from './svc-runtime.ts.txt' with { type: 'text' };
import testingTypes from './svc-testing.d.ts.txt' with { type: 'text' };
import testingScript from './svc-testing.js.txt' with { type: 'text' };
import testing from './svc-testing.ts.txt' with { type: 'text' };
import unchecked from './unchecked.txt' with { type: 'text' };

/** By path. `ending` is what imports of modules end with. The texts are made of `../runtime` by `build.ts`, with imports that end with `.js`. */
export function vendoredRuntime(
  emit: 'ts' | 'js',
  ending: string,
): Readonly<Record<string, string>> {
  const withEnding = (text: string) =>
    text.replaceAll(`'./svc-runtime.gen.js'`, `'./svc-runtime.gen${ending}'`);
  if (emit === 'ts') {
    return {
      // Nine tenths of what one query costs the compiler of an application would be the bodies of the runtime, which are the same everywhere.
      'svc-runtime.gen.ts': checkedBefore + runtime,
      'svc-testing.gen.ts': withEnding(testing),
    };
  }
  return {
    'svc-runtime.gen.js': runtimeScript,
    'svc-runtime.gen.d.ts': runtimeTypes,
    'svc-testing.gen.js': testingScript,
    'svc-testing.gen.d.ts': unchecked + testingTypes,
  };
}
