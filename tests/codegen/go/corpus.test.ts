/** The corpus of the clients, built by the Go runtime: byte for byte the texts of the TypeScript builder, and what a server answers to them. */

import { expect, test } from 'bun:test';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TableInfo } from '../../../clients/typescript/runtime/index.ts';
import { tableInfos } from '../../clients/make-tables.ts';
import { keptCases, randomCases, serveStage } from '../../clients/served-corpus.ts';
import { schema } from '../../clients/stage.ts';
import { go, goModule } from './support.ts';

const types: Readonly<Record<string, readonly [type: string, format: string]>> = {
  ...{ t: ['text', ''], b: ['bool', ''], f: ['float64', ''], x: ['bytes', ''], i: ['int64', ''] },
  ...{ n: ['int64', ''], s: ['int64', ''], D: ['int64', ''] },
  ...{ u: ['bytes', 'uuid'], l: ['bytes', 'ulid'], d: ['bytes', 'xid'] },
};

function tableOf([name, columns, keys, relations]: TableInfo): object {
  return {
    Name: name,
    Keys: keys,
    Columns: columns.map(([column, code, flags]) => {
      const [Type, Format] = types[code] ?? [];
      return { Name: column, Type, Format, Nullable: (flags & 1) > 0, Default: (flags & 2) > 0 };
    }),
    Relations: relations.map(([Member, Table, Own, Theirs, Kind, through]) => {
      const [Between = 0, BetweenOwn = null, Other = null] = through ?? [];
      return { Member, Table, Own, Theirs, Kind, Between, BetweenOwn, Other };
    }),
  };
}

test.skipIf(go === undefined)(
  'all texts are the same, and so are the results',
  async () => {
    const kept = keptCases();
    const cases = [...kept, ...randomCases(2_000, 11)];
    using made = goModule();
    cpSync(join(import.meta.dir, 'corpus'), join(made.folder, 'db'), { recursive: true });
    await using served = await serveStage();
    const input = join(made.folder, 'corpus.json');
    writeFileSync(input, JSON.stringify({ Tables: tableInfos(schema).map(tableOf), Cases: cases }));
    const { status, all } = await made.run(['test', '-count=1', '-v', './db'], {
      SVC_TEST_CORPUS: input,
      SVC_TEST_SERVER: served.url,
    });
    if (status !== 0) throw new Error(all.replace(/^(?:=== RUN.*| {4}--- PASS.*)\n/gm, ''));
    expect(all).toContain(`cases: ${cases.length}, asked: ${kept.length}`);
  },
  120_000,
);
