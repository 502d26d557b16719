/** A schema file that is changed in place keeps what people put into it. */

import { expect, test } from 'bun:test';
import { parse } from 'yaml';
import { type Catalog, emptyCatalog } from '#catalog';
import { editSchema, mergeSchemas, parseSchema } from '#schema';
import { readBy11 } from '../../support/yaml-1.1.ts';

const mine = `# yaml-language-server: $schema=./svc.schema.json

tables:
  # people first
  - id: 1
    name: users          # who
    columns:
      # the key
      - { id: 1,  name: id,    type: int64, pk: true }     # never shown
      - { id: 2,  name: email, type: text, unique: true }

      - id: 3
        name: age
        type: int64      # years
        nullable: true
    # end of users

  # what they write
  - id: 2
    name: posts
    columns:
      - { id: 1, name: id,     type: int64, pk: true }
      - { id: 2, name: author, type: int64, index: true, ref: users.id } # writes
# bottom
`;

function catalogOf(text: string): Catalog {
  const parsed = parseSchema(text, 'test');
  if (parsed.kind === 'broken') throw new Error(parsed.errors.map((it) => it.message).join());
  return parsed.catalog;
}

/** The file after it has taken in what `theirs` did to `base`. */
function pulled(base: string, ours: string, theirs: string) {
  const file = catalogOf(ours);
  const merged = mergeSchemas(
    base === '' ? emptyCatalog : catalogOf(base),
    file,
    catalogOf(theirs),
  );
  const { catalog: after, renumbering, conflicts } = merged;
  return {
    ...editSchema(ours, {
      ...{ before: file, after, renumbering },
      policies: { before: 'absent', after: 'absent' },
    }),
    conflicts,
  };
}

test('a new column comes in, every other line stays', () => {
  const theirs = mine.replace(
    '        nullable: true\n',
    '        nullable: true\n      - { id: 4, name: city, type: text, nullable: true, index: true }\n',
  );
  const { text, isInPlace } = pulled(mine, mine, theirs);
  expect(isInPlace).toBe(true);
  const [before, after] = [mine.split('\n'), text.split('\n')];
  for (const line of before) {
    const stays = after.some((it) => it.replace(/ +/g, ' ') === line.replace(/ +/g, ' '));
    expect([line, stays]).toEqual([line, true]);
  }
  expect(text).toContain('{ id: 4, name: city, type: text, nullable: true, index: true }');
  const posts = mine.slice(mine.indexOf('  # what they write'));
  expect(text).toEndWith(posts);
});

test('a new name that YAML 1.1 reads as a boolean has quotes, and what people wrote stays', () => {
  const base = mine.replaceAll('name: age', 'name: n').replace('# years', '# y');
  const theirs = base
    .replace('name: users ', 'name: "on" ')
    .replace('ref: users.id', 'ref: "on.id"')
    .replace('name: email', 'name: "no"');
  const { text, isInPlace } = pulled(base, base, theirs);
  expect(isInPlace).toBe(true);
  expect(text).toContain('name: "on" # who');
  expect(text).toContain('name: "no"');
  expect(text).toContain('ref: on.id');
  expect(text).toContain('name: n\n');
});

test('names in lists get quotes where they need them', () => {
  const base = `tables:
  - id: 1
    name: pairs
    columns:
      - { id: 1, name: left, type: int64 }
      - { id: 2, name: right, type: int64 }
    primary_key: [left, right]
  - id: 2
    name: marks
    columns:
      - { id: 1, name: a, type: int64, pk: true }
      - { id: 2, name: b, type: int64 }
    foreign_keys:
      - { name: to_pair, columns: [a, b], ref_table: pairs, ref_columns: [left, right] }
`;
  const theirs = base
    .replaceAll('pairs', '"off"')
    .replaceAll(/\bright\b/g, '"y"')
    .replaceAll('to_pair', '"No"');
  const { text, isInPlace } = pulled(base, base, theirs);
  expect(isInPlace).toBe(true);
  expect(readBy11(text)).toEqual(parse(text));
  expect(text).toContain('name: "off"');
  expect(text).toContain('ref_table: "off"');
});

test('lines go on ending as they do', () => {
  const theirs = mine.replace('name: age', 'name: years').replace('unique: true', 'index: true');
  const { text, isInPlace } = pulled(mine, mine, theirs);
  const windows = (lines: string) => lines.replaceAll('\n', '\r\n');
  const there = pulled(mine, windows(mine), theirs);
  expect([isInPlace, there.isInPlace]).toEqual([true, true]);
  expect(there.text).toBe(windows(text));
});

test('a new table comes last, and the rest is the same to the byte', () => {
  const tag =
    '  - id: 3\n    name: tags\n    columns:\n      - { id: 1, name: id, type: int64, pk: true }\n';
  const { text } = pulled(mine, mine, mine.replace('# bottom\n', tag));
  const [head = '', tail = ''] = mine.split('# bottom');
  expect(text.startsWith(head)).toBe(true);
  expect(text.endsWith(`# bottom${tail}`)).toBe(true);
  expect(text).toContain('  - id: 3\n    name: tags\n');
});

test('a rename goes through shorthands, lists and references', () => {
  const theirs = mine.replace('name: users ', 'name: people').replace('users.id', 'people.id');
  const { text, conflicts } = pulled(mine, mine, theirs);
  expect(conflicts).toEqual([]);
  expect(text).toContain('name: people # who');
  expect(text).toContain('index: true, ref: people.id } # writes');
  expect(text).toContain('# people first');
});

test('what both added under one id gets the next free id here', () => {
  const column = (name: string) =>
    mine.replace(
      '        nullable: true\n',
      `        nullable: true\n      - { id: 4, name: ${name}, type: text, nullable: true }\n`,
    );
  const { text, conflicts, isInPlace } = pulled(mine, column('nick'), column('city'));
  expect([conflicts, isInPlace]).toEqual([[], true]);
  expect(text).toContain('{ id: 4, name: city, type: text, nullable: true }');
  expect(text).toContain('{ id: 5, name: nick, type: text, nullable: true }');
  expect(text.indexOf('city')).toBeLessThan(text.indexOf('nick'));
});

test('two renames of one column are told, not chosen between', () => {
  const renamed = (name: string) => mine.replace('name: email,', `name: ${name},`);
  const { conflicts } = pulled(mine, renamed('mail'), renamed('address'));
  expect(conflicts).toEqual([
    'column users.email: named address in the database, mail in the file',
  ]);
});

test('a table that one side deleted and the other changed is told', () => {
  const start = mine.indexOf('  # what they write');
  const without = `${mine.slice(0, start)}# bottom\n`;
  const changed = mine.replace('name: posts', 'name: articles');
  expect(pulled(mine, changed, without).conflicts).toEqual([
    'table articles: deleted in the database, changed in the file',
  ]);
  expect(pulled(mine, without, changed).conflicts).toEqual([
    'table articles: changed in the database, deleted in the file',
  ]);
  expect(pulled(mine, mine, without).text).not.toContain('posts');
});

test('an index, a unique index or a reference that is gone takes its shorthand along, in place', () => {
  for (const gone of [', unique: true', ', index: true', ', ref: users.id']) {
    const { text, isInPlace } = pulled(mine, mine, mine.replace(gone, ''));
    expect([gone, isInPlace]).toEqual([gone, true]);
    expect(text).toContain('# people first');
    expect(text).not.toContain(gone.slice(2));
  }
});

test('a column that is renamed is renamed where an index alone mentions it', () => {
  const indexed = mine.replace(
    '    # end of users\n',
    '    indexes:\n      - { name: by_age, columns: [age, id] } # old first\n    # end of users\n',
  );
  const theirs = indexed
    .replace('name: age\n', 'name: years\n')
    .replace('[age, id]', '[years, id]');
  const { text, isInPlace } = pulled(indexed, indexed, theirs);
  expect(isInPlace).toBe(true);
  expect(text).toContain('{ name: by_age, columns: [ years, id ] } # old first');
  expect(catalogOf(text)).toEqual(catalogOf(theirs));
});

test('an index here goes when one of its columns goes there', () => {
  const city = '      - { id: 4, name: city, type: text, nullable: true }\n';
  const base = mine.replace('        nullable: true\n', `        nullable: true\n${city}`);
  const indexes = [
    '    indexes:',
    '      - { name: both, columns: [age, city] }',
    '      - { name: one, columns: [age, email] }',
    '    # end of users',
  ].join('\n');
  const ours = base.replace('    # end of users', indexes);
  const { text } = pulled(base, ours, base.replace(city, ''));
  const names = catalogOf(text).tables[0]?.indexes.map(({ name }) => name);
  expect(names).toContain('one');
  expect(names).not.toContain('both');
});

test('a reference here to a table that goes there goes with it, and is told', () => {
  const base = mine.replace(', ref: users.id', '');
  const users = base.slice(base.indexOf('  # people first'), base.indexOf('  # what they write'));
  const { text, conflicts } = pulled(base, mine, base.replace(users, ''));
  expect(catalogOf(text).tables.map(({ name }) => name)).toEqual(['posts']);
  expect(catalogOf(text).tables[0]?.foreignKeys).toEqual([]);
  expect(conflicts.join()).toContain('the referenced table or column was deleted');
});
