/** The English of the repository: sentences that have to be read twice become fewer, and no more are added. */

import { expect, test } from 'bun:test';
import ceilings from './ceilings.json' with { type: 'json' };
import { check, signsOf } from './check.ts';
import { readFiles } from './files.ts';
import { blocksOf } from './page-blocks.ts';
import { sentencesOf } from './sentences.ts';
import { signs } from './signs.ts';
import { sourceTextsOf } from './source-texts.ts';
import { areas } from './texts.ts';

test('no area has more sentences with a sign than its ceiling', () => {
  const { hits } = check(readFiles());
  for (const area of areas) {
    const found = hits.filter((hit) => hit.area === area);
    // To list them: npm run voice -- --list AREA. Fewer than the ceiling: lower it in ceilings.json.
    expect({ area, isAtMost: found.length <= ceilings[area], found: found.length }).toEqual({
      area,
      isAtMost: true,
      found: found.length,
    });
  }
});

const examples: Readonly<Record<string, readonly [wrong: string, right: string]>> = {
  'what-opening': ['What is written twice is one.', 'What is a relation?'],
  'headless-what': ['It depends on what was read.', 'It depends on the rows.'],
  people: ['Nobody waits for it.', 'No client waits for it.'],
  'those-that': ['It has a rule for those that are old.', 'It has a rule for old entries.'],
  fragment: ['Of the last batch.', 'The last batch.'],
  'absent-fragment': ['Absent: the default.', 'If it is absent, the default applies.'],
  'so-many': ['It waits after so many rows.', 'It waits after this many rows.'],
  'the-same': ['The same for writes.', 'Writes do this too.'],
  'as-it-is': ['The file stays as it is.', 'The file is unchanged.'],
  'thing-says': ['The page says what to do.', 'The page lists the steps.'],
  told: ['The caller is told of it.', 'The caller receives it.'],
  'no-x': ['A view is no table.', 'A view is not a table.'],
  'is-there': ['The file is there.', 'The file exists.'],
  way: ['A request is on its way.', 'A request is in transit.'],
  'goes-on': ['The server goes on.', 'The server continues.'],
  anew: ['The plan is made anew.', 'The plan is made again.'],
  look: ['It takes a look.', 'It checks the file.'],
  'stands-lies': ['The value stands in the row.', 'The row contains the value.'],
  'let-go': ['It lets go of the rows.', 'It releases the rows.'],
  comes: ['Nothing comes of it.', 'It has no effect.'],
  own: ['It has a thread of its own.', 'It has its own thread.'],
  beside: ['It runs beside others.', 'It runs with others.'],
  'at-its-end': ['It is closed at its end.', 'It is closed when it ends.'],
  'house-word': ['It is dear.', 'It is expensive.'],
};

test('each sign matches its mistake, and not the sentence that mends it', () => {
  expect(Object.keys(examples).sort()).toEqual(signs.map(({ name }) => name).sort());
  for (const [name, [wrong, right]] of Object.entries(examples)) {
    expect([wrong, signsOf(wrong, 'comments').includes(name)]).toEqual([wrong, true]);
    expect([right, signsOf(right, 'comments').includes(name)]).toEqual([right, false]);
  }
});

test('sentences have no code in them', () => {
  expect(
    sentencesOf('Reads `what nobody wrote`. Writes [a page](docs/what.md) if --so-many.'),
  ).toEqual(['Reads ‹c›.', 'Writes a page if ‹c›.']);
});

test('comments and strings of a source are its texts', () => {
  const source = [
    '/** Returns the rows. */',
    "const a = 'it\\'s one'; // First line",
    '// and second line.',
    `const b = \`x \${\`y \${1} z\`} end\`;`,
    "const c = /'not a string'/;",
  ].join('\n');
  expect(sourceTextsOf(source).map(({ kind, line, text }) => [kind, line, text.trim()])).toEqual([
    ['comment', 1, 'Returns the rows.'],
    ['string', 2, "it's one"],
    ['comment', 2, 'First line and second line.'],
    ['string', 4, 'y X z'],
    ['string', 4, 'x X end'],
  ]);
});

test('paragraphs, items, headings and cells of a page are its texts', () => {
  const page = [
    '# 1. Title',
    'One',
    'two.',
    '',
    '```',
    'code',
    '```',
    '- item',
    '| a | `b|c` |',
    '|---|---|',
  ];
  expect(blocksOf(page.join('\n'))).toEqual([
    { line: 1, text: 'Title' },
    { line: 2, text: 'One two.' },
    { line: 8, text: 'item' },
    { line: 9, text: 'a' },
    { line: 9, text: '`b/c`' },
  ]);
});
