/** Schema files of a megabyte and more. */

import { type LiveAttack, outcomeOf } from '../../attack.ts';

const live = { kind: 'live', part: 'work' } as const;

function tables(count: number, columns: number): string {
  const lines = ['tables:'];
  for (let t = 1; t <= count; t++) {
    lines.push(`  - id: ${t}`, `    name: t${t}`, '    columns:');
    lines.push('      - { id: 1, name: id, type: int64, pk: true }');
    for (let c = 2; c <= columns; c++) lines.push(`      - { id: ${c}, name: c${c}, type: text }`);
  }
  return lines.join('\n');
}

/** Aliases of aliases: small as text, huge when read. */
function laughs(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let i = 1; i < 9; i++) {
    const before = Array.from({ length: 9 }, () => `*a${i - 1}`).join(', ');
    lines.push(`a${i}: &a${i} [${before}]`);
  }
  return `${lines.join('\n')}\ntables: *a8\n`;
}

const files: Readonly<Record<string, string>> = {
  'many tables': tables(2000, 10),
  'wide tables': tables(30, 900),
  'many errors': tables(2000, 10).replaceAll('type: text', 'type: wrong'),
  'one name': tables(2000, 10).replaceAll(/name: t\d+/g, 'name: same'),
  'nested flow': `tables: ${'['.repeat(100_000)}`,
  'deep block': Array.from({ length: 3000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
  'aliases of aliases': laughs(),
  'one long line': `tables: "${'x'.repeat(3_000_000)}"`,
  'many keys': Array.from({ length: 100_000 }, (_, i) => `k${i}: 1`).join('\n'),
  documents: '---\n'.repeat(200_000),
  anchors: Array.from({ length: 20_000 }, (_, i) => `k${i}: &a${i} x`).join('\n'),
  tags: '!!str '.repeat(100_000),
  'empty lines': '\n'.repeat(900_000),
  'folded text': `a: >\n${'  x\n\n'.repeat(200_000)}`,
  comments: '# x\n'.repeat(700_000),
};

export const schemaFiles: LiveAttack = {
  ...live,
  name: 'schema-files',
  does: 'schema files of 1 MB and more, right, wrong and hostile, to /schema/diff',
  strike: async (stage) => {
    const answers = [];
    const slow: string[] = [];
    for (const [what, schema] of Object.entries(files)) {
      const answer = await stage.ask({ path: '/schema/diff', body: JSON.stringify({ schema }) });
      answers.push(answer);
      if (answer.ms > 5000) slow.push(`${what}: answered after ${Math.round(answer.ms)} ms`);
    }
    return outcomeOf(answers, slow);
  },
};
