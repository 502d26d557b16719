/** The corpus of the clients and queries at random, built by the Go runtime: byte for byte the texts of the TypeScript builder. */

import { expect, test } from 'bun:test';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { TableInfo } from '../../../src/codegen/typescript/runtime/index.ts';
import { tableInfos } from '../../clients/make-tables.ts';
import { RandomTrees } from '../../clients/random-trees.ts';
import { compiledTree, corpus } from '../../clients/stage.ts';
import type { SchemaFile } from '../../support/schema-file.ts';
import { seededRandom } from '../../support/seeded-random.ts';
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

/** Queries at random, with what the TypeScript builder makes of them. */
function randomCases(count: number): { name: string }[] {
  const trees = new RandomTrees(seededRandom(11));
  return Array.from({ length: count }, (_, i) => {
    const build = trees.query();
    return { name: `random ${i}`, build, text: compiledTree(build).body };
  });
}

test.skipIf(go === undefined)(
  'all texts are the same',
  async () => {
    const folder = join(corpus, 'cases');
    const kept = readdirSync(folder).flatMap((file) =>
      (JSON.parse(readFileSync(join(folder, file), 'utf8')) as { name: string }[]).map((one) => ({
        ...one,
        name: `${file} ${one.name}`,
      })),
    );
    const cases = [...kept, ...randomCases(2_000)];
    const schema = parse(readFileSync(join(corpus, 'schema.yaml'), 'utf8')) as SchemaFile;
    const Tables = tableInfos(schema).map(tableOf);
    using made = goModule();
    cpSync(join(import.meta.dir, 'corpus'), join(made.folder, 'db'), { recursive: true });
    const input = join(made.folder, 'corpus.json');
    writeFileSync(input, JSON.stringify({ Tables, Cases: cases }));
    const { status, all } = await made.run(['test', '-count=1', '-v', './db'], {
      SVC_TEST_CORPUS: input,
    });
    if (status !== 0) throw new Error(all.replace(/^(?:=== RUN.*| {4}--- PASS.*)\n/gm, ''));
    expect(all).toContain(`cases: ${cases.length}`);
  },
  120_000,
);
