/** Searching the bytes of a block for a text against asking each row. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Column } from '#catalog';
import { RunReader, TextSearch, tableLayout } from '#layout';
import { columnValues } from '../../src/storage/columns/column-codec.ts';
import type { BlockSpan } from '../../src/storage/contract/stored-block.ts';
import { openTable, writeTable } from '../storage/files.ts';
import { tableWith } from './values.ts';

const codecs = columnValues;
const table = tableWith({ keyTypes: ['int64'], otherTypes: ['text'] });
const layout = tableLayout(table);
const [key, body] = [0, 1].map((at) => {
  const is = (column: Column) => (column.type === 'int64') === (at === 0);
  return table.columns.findIndex(is);
}) as [number, number];
const column = table.columns[body] as Column;

/** The first run of rows with these texts. */
function runOf(texts: readonly (string | null)[]): BlockSpan {
  const rows = texts.map((text, i) => {
    const row = [];
    row[key] = i;
    row[body] = text;
    return row;
  });
  const versions = rows.map((row) => {
    return { key: layout.keyOfRow(row), sequence: 1, value: layout.bodyOfRow(row) };
  });
  const cursor = openTable(writeTable(versions, { codecs }), { codecs }).scan(
    layout.range,
    'forward',
    9,
  );
  expect(cursor.next()).toBe(true);
  return cursor.takeRun?.(texts.length) as BlockSpan;
}

const letters = fc.constantFrom('a', 'b', 'ab', 'ä', '€', '🙂', '');
const text = fc.array(letters, { maxLength: 6 }).map((parts) => parts.join(''));
const varied = fc.array(fc.oneof(text, text, fc.constant(null)), { minLength: 1, maxLength: 40 });
/** Different enough not to be a dictionary. */
const many = fc
  .array(text, { minLength: 300, maxLength: 320 })
  .map((list) => list.map((part, i) => `${part}${i}${part}`));
const needle = text.filter((found) => found !== '');

test('no row that holds the text is left out, and of cells that lie in a row no other is there', () => {
  let searched = 0;
  let left = 0;
  fc.assert(
    fc.property(fc.oneof(varied, many), needle, fc.nat(3), (texts, wanted, skipped) => {
      const whole = runOf(texts);
      const run = { ...whole, from: Math.min(skipped, whole.to - 1) };
      const out = new Uint32Array(1024);
      const count = new TextSearch(column, wanted).select(run, out);
      if (count === undefined) return;
      searched++;
      const found = Array.from(out.subarray(0, count));
      const expected: number[] = [];
      for (let slot = run.from; slot < run.to; slot++) {
        if (texts[slot]?.includes(wanted)) expected.push(slot - run.from);
      }
      expect(expected.filter((at) => !found.includes(at))).toEqual([]);
      if (texts.every((text) => text !== null)) expect(found).toEqual(expected);
      left += run.to - run.from - count;
      const picked = new RunReader(table, table.columns).column(body, run, {
        positions: out,
        count,
      });
      for (const at of found) expect(picked[at]).toBe(texts[run.from + at] as string);
    }),
    { seed: 9, numRuns: 300 },
  );
  expect(searched).toBeGreaterThan(150);
  expect(left).toBeGreaterThan(1000);
});

test('a text that is longer than what is searched for is found by its start', () => {
  const long = 'x'.repeat(100);
  const out = new Uint32Array(8);
  const run = runOf([`${long}y`, `${long.slice(50)}`, `a${long}`]);
  expect(new TextSearch(column, `${long}y`).select(run, out)).toBe(2);
  expect(Array.from(out.subarray(0, 2))).toEqual([0, 2]);
});
