/** Pages on a terminal: broken at words, tables and code as they are, and nothing lost. */

import { expect, test } from 'bun:test';
import { linkedPages, pages } from '../../src/cli/docs/pages.ts';
import { wrappedPage } from '../../src/cli/docs/wrap.ts';
import { runWithin, shellFor } from './within.ts';

test('paragraphs and items are broken at words, below their own beginning', () => {
  const text = [
    '# A heading that is longer than the terminal is wide',
    'one two three four',
    'five six',
    '',
    '- item one two three',
    '  goes on',
    '10. tenth item here it is',
    '| a table | that is as wide as it is |',
    '```sh',
    'a command that is as long as it is',
    '```',
  ].join('\n');
  expect(wrappedPage(text, 16).split('\n')).toEqual([
    '# A heading that is longer than the terminal is wide',
    'one two three',
    'four five six',
    '',
    '- item one two',
    '  three goes on',
    '10. tenth item',
    '    here it is',
    '| a table | that is as wide as it is |',
    '```sh',
    'a command that is as long as it is',
    '```',
  ]);
});

test.each(pages.map(({ topic, text }) => [topic, text] as const))(
  '%s has all its words in 80 columns',
  (_, text) => {
    const words = (page: string) => page.split(/\s+/);
    const page = wrappedPage(text, 80);
    expect(words(page)).toEqual(words(text));
    let isCode = false;
    const wide = page.split('\n').filter((line) => {
      if (line.startsWith('```')) isCode = !isCode;
      const isProse = !isCode && !/^\s*[|#<`]/.test(line) && /\S \S/.test(line.trim());
      return isProse && Bun.stringWidth(line) > 80;
    });
    expect(wide).toEqual([]);
  },
);

test('comments of those who write a page are not shown', () => {
  for (const { topic, text } of [...pages, ...linkedPages]) {
    expect([topic, text]).toEqual([topic, expect.not.stringContaining('<!--')]);
  }
});

test('the list of pages has no line wider than a terminal', async () => {
  const { stdout } = await runWithin(shellFor().shell, ['docs']);
  expect(stdout).toContain('Further pages:');
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
});
