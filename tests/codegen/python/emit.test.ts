/** The generated package: the same bytes each time, whatever the schema calls things, and nothing that its checkers or formatters would change. */

import { describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TargetError } from '#codegen';
import { withOverloads } from '../../../src/codegen/python/overloads.ts';
import { pythonRuntime, runtimeNames } from '../../../src/codegen/python/runtime-text.ts';
import { filesOf, textOf } from '../generate/files.ts';
import { goldens } from '../generate/schemas.ts';
import { schema as forum } from '../specimen/schema.ts';
import { python, pythonFolder } from './support.ts';

const golden = join(import.meta.dir, 'golden', '_tables.py');
const target = '- {language: python, output: db}';
const tablesOf = (schema: string, of = target) => textOf(filesOf(schema, of), 'db/_tables.py');

/** Names that Python, its types, the runtime or the package itself have a use for, and names that are no identifiers. */
const names = [
  ...'False None True and as assert async await break class continue def del elif else except finally for from global'.split(
    ' ',
  ),
  ...'if import in is lambda nonlocal not or pass raise return try while with yield match case type _ self cls'.split(
    ' ',
  ),
  ...'int str bool float bytes dict list tuple object print UUID datetime dataclass Any TypedDict svc annotations'.split(
    ' ',
  ),
  ...[
    '__proto__',
    '__class__',
    '__slots__',
    '__init__',
    'mro',
    '_svc_columns',
    '_schema',
    'Größe',
    '日本',
    'ſ',
    'ﬁ',
    '1st',
  ],
  ...[
    'a b',
    'a_b',
    'a-b',
    'A_B',
    '"quote\\',
    '\u2028',

    '😀',
    "'''",
    '"""',
    '{x}',
    '%s',
    '#',
  ],
  ...[
    'users',
    'Users',
    'users_new',
    'UsersNew',
    'posts',
    'posts_key',
    'client',
    'Client',
    'async_client',
  ],
  ...runtimeNames().filter((name) => !/^(?:Client|AsyncClient)$/.test(name)),
];

const types = [
  { type: 'string' },
  { type: 'int64' },
  { type: 'int64', format: 'unix_ms' },
  { type: 'float64' },
  { type: 'bool' },
  { type: 'bytes' },
  { type: 'bytes', format: 'uuid' },
  { type: 'bytes', format: 'ulid' },
  { type: 'bytes', format: 'xid' },
];

/** One table has all names as columns, and each name is a table that refers to it. */
const strange = JSON.stringify({
  tables: [
    {
      id: 1,
      name: 'everything',
      columns: [
        { id: 1, name: 'key', type: 'int64', pk: true },
        ...names.map((name, i) => ({
          ...types[i % types.length],
          id: i + 2,
          name,
          nullable: i % 3 === 0,
        })),
      ],
    },
    ...names.map((name, i) => ({
      id: i + 2,
      name,
      columns: [
        { id: 1, name: 'id', type: 'int64', pk: true },
        { id: 2, name: `${name}_id`, type: 'int64' },
      ],
      foreign_keys: [
        {
          name: `k${i}`,
          columns: [`${name}_id`],
          ref_table: 'everything',
          ref_columns: ['key'],
          on_delete: 'cascade',
        },
      ],
    })),
  ],
});

test('files of the runtime, which are joined, share no name', () => {
  const folder = join(import.meta.dir, '../../../clients/python/runtime');
  const homes = new Map<string, string>();
  for (const file of readdirSync(folder)) {
    const text = readFileSync(join(folder, file), 'utf8');
    for (const [, name = ''] of text.matchAll(
      /^(?:async )?(?:def |class )?([A-Za-z_]\w*)(?=[(:]| =)/gm,
    )) {
      if (name === 'else' || name === 'try') continue;
      expect(`${name} of ${homes.get(name) ?? file}`).toBe(`${name} of ${file}`);
      homes.set(name, file);
    }
  }
  expect(homes.size).toBeGreaterThan(200);
});

test('a line of the runtime stands for all overloads of a method', () => {
  const query = readFileSync(
    join(import.meta.dir, '../../../clients/python/runtime/query.py'),
    'utf8',
  );
  expect(query.match(/# overloads of/g)).toHaveLength(8);
  expect(query).not.toContain('@overload');
  const text = pythonRuntime([]);
  expect(text).not.toContain('# overloads of');
  const countOf = (method: string) =>
    text.match(new RegExp(`@overload\\n    def ${method}\\(`, 'g'))?.length;
  expect(['select', 'group', 'fold', 'value'].map(countOf)).toEqual([42, 10, 8, 12]);
  expect(
    withOverloads('    # overloads of f: A[ROW | None, COLUMNS] of 2\n    def f('),
  ).toBe(`    @overload
    def f(self, fields: Callable[[*_Sides], tuple[Part[_A, _AS]]]) -> A[tuple[_A] | None, tuple[_AS]]: ...
    @overload
    def f(self, fields: Callable[[*_Sides], tuple[Part[_A, _AS], Part[_B, _BS]]]) -> A[tuple[_A, _B] | None, tuple[_AS, _BS]]: ...
    @overload
    def f(self, fields: Callable[[*_Sides], Part[_A, _AS]]) -> A[_A | None, _AS]: ...
    @overload
    def f(self, fields: Callable[[*_Sides], Mapping[str, Part[Any, Any]]]) -> A[dict[str, Any] | None, Any]: ...
    def f(`);
});

/** Each name of the wire from the metadata of the running package: what is there, and once. */
const looking = `
import ast, db, keyword, sys
from db import _tables as t
schema = t._schema
assert len(schema.tables) == ${names.length + 1}
for table in schema.tables:
    members = [column.member for column in table.columns] + list(table.relations)
    assert len(set(members)) == len(members), table.name
    assert all(name.isidentifier() and not keyword.iskeyword(name) for name in members), members
    given = {column.name: i for i, column in enumerate(table.columns)}
    [row, other] = table.read([given, given])
    assert row == other and hash(row) == hash(other) and len(row.__slots__) == len(table.columns)
    assert [getattr(row, column.member) for column in table.columns] == list(range(len(table.columns))), table.name
found = [name for name in vars(t) if isinstance(vars(t)[name], t.svc.Table)]
assert len(found) == len(schema.tables)
for name in found:
    query = getattr(db, name)
    db.document_of(query)
    db.document_of(query.select(lambda row: {member: row[member] for member in query._table.relations} or row[query._table.columns[0].member]))
assert db.Client is not t.svc.Client and db.count is t.svc.count
print('fine', len(found))
`;

describe('the package', () => {
  test('of one schema has the same bytes each time', async () => {
    const text = tablesOf(JSON.stringify(forum));
    if (process.env['UPDATE_GOLDEN'] === '1') await Bun.write(golden, text);
    expect(text).toBe(await Bun.file(golden).text());
    expect(filesOf(strange, target)).toEqual(filesOf(strange, target));
  });

  test('has the files that it needs', () => {
    expect(filesOf(JSON.stringify(forum), target).map(({ path }) => path)).toEqual([
      'db/__init__.py',
      'db/_runtime.py',
      'db/_tables.py',
      'db/py.typed',
    ]);
  });

  test('is told apart by the names of the configuration, or refused', () => {
    const schema = goldens[0]?.schema as string;
    const named = (names: string) => `- {language: python, output: db, names: ${names}}`;
    const renamed = tablesOf(schema, named('{posts: articles, posts.title: class}'));
    expect(renamed).toContain('class Articles:');
    expect(renamed).toContain('("title", "class_", "t", False, False)');
    expect(() => tablesOf(schema, named('{posts: Client}'))).toThrow(TargetError);
    expect(() => tablesOf(schema, named('{posts.title: int}'))).toThrow('"int" is taken in Python');
  });

  test('has identifiers of their own with ids: branded, and times with unix_ms: native', () => {
    const schema = goldens[0]?.schema as string;
    const text = tablesOf(
      schema,
      '- {language: python, output: db, ids: branded, unix_ms: native}',
    );
    expect(text).toContain('UsersId = NewType("UsersId", int)');
    expect(text).toContain('    author_id: svc.Num[UsersId, UsersId]\n');
    expect(text).toContain('    created_at: svc.Val[datetime, datetime]\n');
    expect(text).toContain('("created_at", "created_at", "D", False, False)');
  });
});

describe.skipIf(python === undefined)('in Python', () => {
  test('whatever things are called, they are there', async () => {
    using folder = pythonFolder();
    for (const { path, text } of filesOf(strange, target)) {
      mkdirSync(dirname(join(folder.path, path)), { recursive: true });
      writeFileSync(join(folder.path, path), text);
    }
    writeFileSync(join(folder.path, 'looking.py'), looking);
    const { status, all } = await folder.run(['-W', 'error', 'looking.py']);
    if (status !== 0) throw new Error(all);
    expect(all).toContain(`fine ${names.length + 1}`);
  }, 60_000);

  test('each schema of the golden files makes a package', async () => {
    using folder = pythonFolder();
    const packages = goldens.map(({ name, schema }) => ({
      name: name.replaceAll('-', '_'),
      schema,
    }));
    for (const { name, schema } of packages) {
      for (const { path, text } of filesOf(
        schema,
        `- {language: python, output: db, package: ${name}}`,
      )) {
        mkdirSync(dirname(join(folder.path, path)), { recursive: true });
        writeFileSync(join(folder.path, path), text);
      }
    }
    const program = packages.map(({ name }) => `import ${name}\n`).join('');
    writeFileSync(join(folder.path, 'all.py'), program);
    const { status, all } = await folder.run(['-W', 'error', 'all.py']);
    if (status !== 0) throw new Error(all);
  }, 60_000);
});
