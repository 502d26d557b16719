/** No bugs: what a simulated store would compute or set aside although nothing here looks at it. It costs much where all else is small. */

import type { Change } from '../mutants/mutants.ts';

export const cheaper: readonly Change[] = [
  // The simulated bucket asks for no signature; `tests/s3` does.
  {
    file: 'src/storage/object/s3/sign.ts',
    from: '    const names = Object.keys(headers).sort();\n',
    to: '    if (headers.host !== undefined) return headers;\n    const names = Object.keys(headers).sort();\n',
  },
  {
    file: 'src/storage/table/row-buffer.ts',
    from: 'new ByteWriter(64 * 1024)',
    to: 'new ByteWriter(1024)',
  },
  {
    file: 'src/storage/table/block-writer.ts',
    from: 'new ByteWriter(64 * 1024)',
    to: 'new ByteWriter(1024)',
  },
];
