/** A client whose rows are dicts, against a server. */

import { expect, test } from 'bun:test';
import { serve } from '../served.ts';
import { python, pythonFolderOf } from './support.ts';

test.skipIf(python === undefined)(
  'rows are dicts wherever they come',
  async () => {
    using folder = pythonFolderOf('- {language: python, output: db, rows: dict}', 'dicts');
    await using server = await serve();
    const { status, all } = await folder.run(['good.py', server.url]);
    expect([status, all]).toEqual([0, 'all is well\n']);
  },
  60_000,
);
