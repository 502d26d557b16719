/** The part of a TypeScript client that is the same for every schema, as files of the application. */

import checkedBefore from '../../../clients/typescript/vendored/checked-before.txt' with {
  type: 'text',
};
import runtimeTypes from '../../../clients/typescript/vendored/svc-runtime.d.ts.txt' with {
  type: 'text',
};
import runtimeScript from '../../../clients/typescript/vendored/svc-runtime.js.txt' with {
  type: 'text',
};
import runtime from '../../../clients/typescript/vendored/svc-runtime.ts.txt' with { type: 'text' };
import testingTypes from '../../../clients/typescript/vendored/svc-testing.d.ts.txt' with {
  type: 'text',
};
import testingScript from '../../../clients/typescript/vendored/svc-testing.js.txt' with {
  type: 'text',
};
import testing from '../../../clients/typescript/vendored/svc-testing.ts.txt' with { type: 'text' };
import unchecked from '../../../clients/typescript/vendored/unchecked.txt' with { type: 'text' };

/**
 * Returns the files by path. `ending` is the ending of paths in imports. `build.ts` makes the texts from `clients/typescript/runtime`, with imports that end
 * with `.js`.
 */
export function vendoredRuntime(
  emit: 'ts' | 'js',
  ending: string,
): Readonly<Record<string, string>> {
  const withEnding = (text: string) =>
    text.replaceAll(`'./svc-runtime.gen.js'`, `'./svc-runtime.gen${ending}'`);
  if (emit === 'ts') {
    return {
      // Without this comment, the bodies of the runtime, which are the same everywhere, would be nine tenths of the cost of one query to the compiler of an
      // application.
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
