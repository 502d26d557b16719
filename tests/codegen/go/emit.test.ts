/** The generated files: as gofmt has them, without a complaint of go vet, whatever the schema calls things, and the same bytes each time. */

import { describe, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Glob } from 'bun';
import { emitGo } from '../../../src/codegen/go/module/emit-go.ts';
import { goRuntime } from '../../../src/codegen/go/runtime-text.ts';
import type {
  ClientModel,
  ModelColumn,
  ModelRelation,
  ModelTable,
} from '../../../src/codegen/model/client-model.ts';
import { plainColumn, specimen, target } from './specimen.ts';
import { go, goModule, header, project, runGo } from './support.ts';

const golden = join(import.meta.dir, 'golden', 'svc_client_gen.go');

/** Names that Go, the runtime or the client itself have a use for, and names that are no identifiers. */
const names = [
  ...'break case chan const continue default defer else fallthrough for func go goto if import interface map package range'.split(
    ' ',
  ),
  ...'return select struct switch type var nil true string int64 error any append len source sets rows merge keys s q'.split(
    ' ',
  ),
  ...'query where order_by limit offset all first one count page pages run update_where delete_where exists only'.split(
    ' ',
  ),
  ...'client connect reader option null text bool num val expr part term field join select_one results program'.split(
    ' ',
  ),
  ...[
    '__proto__',
    'Größe',
    '日本',
    '1st',
    'a b',
    'a_b',
    'a-b',
    'A_B',
    '',
    '"quote\\',
    'new\nline',
    '\u2028',
    'users',
    'user',
    'userses',
    'staff',
    'categories',
    'boxes',
  ],
];

const types: readonly Pick<ModelColumn, 'type' | 'format'>[] = [
  { type: 'text', format: undefined },
  { type: 'int64', format: undefined },
  { type: 'int64', format: 'unix_ms' },
  { type: 'float64', format: undefined },
  { type: 'bool', format: undefined },
  { type: 'bytes', format: undefined },
  { type: 'bytes', format: 'uuid' },
  { type: 'bytes', format: 'ulid' },
  { type: 'bytes', format: 'xid' },
];

const relation = (name: string, own: number): ModelRelation => ({
  name,
  key: `${name}_fk`,
  keyTable: 0,
  direction: 'forward',
  kind: (['one', 'maybe', 'many'] as const)[own % 3] as ModelRelation['kind'],
  table: own,
  own: [own],
  theirs: [own],
  through: undefined,
});

const columns = names.map((name, i): ModelColumn => {
  const kind = types[i % types.length] as (typeof types)[number];
  return {
    ...plainColumn,
    ...kind,
    id: i + 1,
    name,
    nullable: i % 3 === 2,
    hasDefault: i % 4 >= 2,
  };
});

/** One table has all names as columns, and each name is a table. */
const strange: ClientModel = {
  version: 7,
  hash: 'sha256:"\\',
  tables: [
    {
      id: 1000,
      name: 'everything',
      columns,
      keys: [[0, 1, 3], [1], [2, 4]],
      relations: [
        ...names.slice(0, 12).map(relation),
        {
          ...relation('through', 2),
          kind: 'many',
          through: { table: 1, own: [0], theirs: [0] },
        },
      ],
    },
    ...names.map(
      (name, i): ModelTable => ({
        id: i + 1,
        name,
        columns: columns.slice(0, 12),
        keys: [[0]],
        relations: [],
      }),
    ),
  ],
};

test('the same schema gives the same bytes', async () => {
  const [client] = emitGo(specimen, target, header);
  if (process.env['UPDATE_GOLDEN'] === '1') await Bun.write(golden, client?.text ?? '');
  expect(client?.text).toBe(await Bun.file(golden).text());
  expect(emitGo(strange, target, header)).toEqual(emitGo(strange, target, header));
});

test('the first line is the one that tools of Go know generated files by', () => {
  for (const { text } of emitGo(specimen, target, header)) {
    expect(text.split('\n')[0]).toMatch(/^\/\/ Code generated .* DO NOT EDIT\.$/);
  }
});

test('the runtime is one file of the package that is asked for', () => {
  const text = goRuntime('shop', header);
  expect(text.match(/^package .*$/gm)).toEqual(['package shop']);
  expect(text.match(/^import/gm)).toHaveLength(1);
});

test('names that are chosen twice are refused', () => {
  const twice = new Map([
    ['users', { value: 'people', at: undefined }],
    ['posts', { value: 'people', at: undefined }],
  ]);
  expect(() => emitGo(specimen, { ...target, names: twice }, header)).toThrow('People for posts');
  const taken = new Map([['users.bio', { value: 'where', at: undefined }]]);
  expect(() => emitGo(specimen, { ...target, names: taken }, header)).toThrow(
    'where for users.bio',
  );
  const chosen = new Map([['users', { value: 'people', at: undefined }]]);
  const [client] = emitGo(specimen, { ...target, names: chosen }, header);
  expect(client?.text).toContain('var People PeopleTable');
});

test('each file of the runtime is a part of it', () => {
  const text = goRuntime('svc', header);
  const files = [...new Glob('*.go').scanSync({ cwd: project })];
  expect(files.length).toBeGreaterThan(15);
  for (const file of files) {
    const lines = readFileSync(join(project, file), 'utf8').match(/^type \w+ .*$/gm) ?? [];
    expect(lines.filter((line) => !text.includes(line))).toEqual([]);
  }
});

/** Names of files that gofmt would change. */
function unformattedIn(folder: string): string {
  const gofmt = Bun.which('gofmt') ?? join(dirname(go as string), 'gofmt');
  const { stdout, stderr } = Bun.spawnSync([gofmt, '-l', '.'], { cwd: folder });
  return stdout.toString() + stderr.toString();
}

describe.skipIf(go === undefined)('with the tools of Go', () => {
  test('the runtime is a module of its own, formatted, vetted, its kinds those of the templates', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-go-runtime-'));
    try {
      cpSync(project, folder, { recursive: true });
      expect(await runGo(folder, ['generate', './...'])).toMatchObject({ status: 0, all: '' });
      const kinds = (of: string) => readFileSync(join(of, 'kinds.go'), 'utf8');
      expect(kinds(folder) === kinds(project)).toBe(true);
      expect(unformattedIn(folder)).toBe('');
      expect(await runGo(folder, ['vet', './...'])).toMatchObject({ status: 0, all: '' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('gofmt changes nothing, and go vet says nothing', async () => {
    using made = goModule();
    const all = { ...target, unixMs: 'native' as const };
    for (const { path, text } of emitGo(strange, all, header)) {
      await Bun.write(
        join(made.folder, 'strange', path),
        text.replace(/^package db$/m, 'package strange'),
      );
    }
    expect(unformattedIn(made.folder)).toBe('');
    expect(await made.run(['vet', './...'])).toMatchObject({ status: 0, all: '' });
  });
});
