/** Indexes and foreign keys that change in a file that is edited in place: the file means the new schema then, whichever part of a member changed. */

import { describe, expect, test } from 'bun:test';
import type { Catalog } from '#catalog';
import { editSchema, mergeSchemas, parseSchema, renderSchema } from '#schema';

const columns = ['id', 'a', 'b', 'c', 'd'].map(
  (name, i) => `      - { id: ${i + 1}, name: ${name}, type: int64${i === 0 ? ', pk: true' : ''} }`,
);

const file = (members: string) => `tables:
  - id: 1
    name: pairs
    columns:
      - { id: 1, name: left, type: int64 }
      - { id: 2, name: right, type: int64 }
    primary_key: [left, right]
  - id: 2
    name: couples
    columns:
      - { id: 1, name: left, type: int64 }
      - { id: 2, name: right, type: int64 }
    primary_key: [left, right]
  - id: 3
    name: t # mine
    columns:
${columns.join('\n')}
${members}`;

function catalogOf(text: string): Catalog {
  const parsed = parseSchema(text, 'test');
  if (parsed.kind === 'broken') throw new Error(parsed.errors.map((it) => it.message).join());
  return parsed.catalog;
}

/** `before` after it has taken in what makes `after` of it. */
function edited(before: string, after: string): string {
  const [ours, theirs] = [catalogOf(before), catalogOf(after)];
  const { catalog, renumbering } = mergeSchemas(ours, ours, theirs);
  const { text, isInPlace } = editSchema(before, {
    ...{ before: ours, after: catalog, renumbering },
    policies: { before: 'absent', after: 'absent' },
  });
  expect(isInPlace).toBe(true);
  expect(renderSchema(catalogOf(text))).toBe(renderSchema(theirs));
  expect(text).toContain('name: t # mine');
  return text;
}

const indexes = (...list: readonly string[]) =>
  file(list.length === 0 ? '' : `    indexes:\n${list.map((it) => `      - ${it}\n`).join('')}`);
const keys = (...list: readonly string[]) =>
  file(
    list.length === 0 ? '' : `    foreign_keys:\n${list.map((it) => `      - ${it}\n`).join('')}`,
  );

const kept = '{ columns: [d, a] } # kept';

describe('an index', () => {
  test.each([
    ['the second column', '{ name: i, columns: [a, b] }', '{ name: i, columns: [a, c] }'],
    ['the first column', '{ name: i, columns: [a, b] }', '{ name: i, columns: [c, b] }'],
    ['the order of columns', '{ name: i, columns: [a, b] }', '{ name: i, columns: [b, a] }'],
    ['a column less', '{ name: i, columns: [a, b] }', '{ name: i, columns: [a] }'],
    ['a column more', '{ name: i, columns: [a] }', '{ name: i, columns: [a, b] }'],
    ['to unique', '{ name: i, columns: [a] }', '{ name: i, columns: [a], unique: true }'],
    ['from unique', '{ name: i, columns: [a], unique: true }', '{ name: i, columns: [a] }'],
    ['its name', '{ name: i, columns: [a] }', '{ name: j, columns: [a] }'],
    ['to a generated name', '{ name: i, columns: [a, b] }', '{ columns: [a, b] }'],
  ])('changes %s', (_, before, after) => {
    const text = edited(indexes(kept, before), indexes(kept, after));
    expect(text).toContain('# kept');
  });

  test('comes as the only one, and goes as the last one', () => {
    expect(edited(indexes(), indexes('{ columns: [a, b] }'))).toContain('indexes:');
    expect(edited(indexes('{ columns: [a, b] }'), indexes())).not.toContain('indexes:');
  });

  test('of two that are alike but for one column, the right one goes', () => {
    const [first, second] = ['{ columns: [a, b] } # first', '{ columns: [a, c] } # second'];
    expect(edited(indexes(first, second), indexes(first))).toContain('# first');
    expect(edited(indexes(first, second), indexes(second))).toContain('# second');
    const unique = '{ columns: [a, b], unique: true } # unique';
    expect(edited(indexes(first, unique), indexes(unique))).toContain('# unique');
    expect(edited(indexes(first, unique), indexes(first))).toContain('# first');
  });
});

describe('a foreign key', () => {
  const key = (columns: string, more = '', to = 'pairs') =>
    `{ name: k, columns: [${columns}], ref_table: ${to}, ref_columns: [left, right]${more} }`;
  const keptKey =
    '{ name: kept, columns: [d, a], ref_table: pairs, ref_columns: [left, right] } # kept';

  test.each([
    ['the second column', key('a, c')],
    ['the first column', key('c, b')],
    ['the order of columns', key('b, a')],
    ['the table', key('a, b', '', 'couples')],
    ['the action', key('a, b', ', on_delete: cascade')],
    ['its name', key('a, b').replace('name: k', 'name: l')],
  ])('changes %s', (_, after) => {
    expect(edited(keys(keptKey, key('a, b')), keys(keptKey, after))).toContain('# kept');
    expect(edited(keys(keptKey, after), keys(keptKey, key('a, b')))).toContain('# kept');
  });

  test('comes as the only one, and goes as the last one', () => {
    expect(edited(keys(), keys(key('a, b')))).toContain('foreign_keys:');
    expect(edited(keys(key('a, b')), keys())).not.toContain('foreign_keys:');
  });
});
