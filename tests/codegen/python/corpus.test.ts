/** The corpus of the clients, built by the Python runtime: byte for byte the texts of the TypeScript builder, and what a server answers to them. */

import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableInfos } from '../../clients/make-tables.ts';
import { keptCases, randomCases, serveStage } from '../../clients/served-corpus.ts';
import { schema } from '../../clients/stage.ts';
import { python, pythonFolder } from './support.ts';

test.skipIf(python === undefined)(
  'all texts are the same, and so are the results',
  async () => {
    const kept = keptCases();
    const cases = [...kept, ...randomCases(2_000, 12)];
    using folder = pythonFolder('corpus');
    await using served = await serveStage();
    const input = join(folder.path, 'corpus.json');
    writeFileSync(input, JSON.stringify({ tables: tableInfos(schema), cases }));
    const { status, all } = await folder.run(['run.py', input, served.url]);
    if (status !== 0) throw new Error(all);
    expect(all).toContain(`${cases.length} cases, ${kept.length} asked, 0 wrong`);
  },
  120_000,
);
