/** Tables of the terminal. */

import { expect, test } from 'bun:test';
import { textTable } from '../../src/cli/frame/text-table.ts';

test('columns are as wide as their widest cell, and no line ends with spaces', () => {
  const table = textTable(
    'keys',
    ['ID', 'NAME'],
    [
      ['a', 'first'],
      ['long', 'b'],
    ],
  );
  expect(table).toBe('ID    NAME\na     first\nlong  b');
});

test('a table without rows says so instead', () => {
  expect(textTable('transitions', ['ID'], [])).toBe('No transitions.');
});
