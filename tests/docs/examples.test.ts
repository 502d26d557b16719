/** The language references: every example gives the answer that the page shows, and every part of the grammars has an example. */

import { describe, expect, test } from 'bun:test';
import { isRelational, type Program } from '#pir';
import { lirDefinitions, pirDefinitions } from '#wire';
import { type Example, readPage } from './blocks.ts';
import { type Grammar, markUsed, partsOf } from './coverage.ts';
import { difference, queryOf, runExample } from './run.ts';

const lir = readPage('lir.md');
const pir = readPage('pir.md');
const errors = readPage('errors.md');
const agents = readPage('agents.md');
const largeTables = readPage('large-tables.md');

for (const { name, examples } of [lir, pir, errors, agents, largeTables]) {
  describe(name, () => {
    test('has examples', () => expect(examples.length).toBeGreaterThan(0));
    for (const example of examples) {
      test(example.at, async () => {
        const reply = await runExample(lir.setup, example);
        expect(difference(example, reply)).toBeUndefined();
      });
    }
  });
}

test('each line of a quotation in agents.md starts with its mark', async () => {
  const text = await Bun.file(new URL('../../docs/agents.md', import.meta.url)).text();
  const prose = text.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '');
  expect(prose.match(/^.*\S > .*$/gm) ?? []).toEqual([]);
  expect(prose.match(/^> .*\n(?!> |\n).*$/gm) ?? []).toEqual([]);
});

const isAccepted = ({ answer }: Example) => answer.kind === 'result';

test('lir.md uses every part of the LIR grammar', () => {
  const grammar = lirDefinitions as Grammar;
  const used = new Set<string>();
  for (const example of lir.examples.filter(isAccepted)) {
    const text = example.kind === 'expression' ? queryOf(example.request) : example.request;
    if (example.kind === 'program') {
      for (const statement of (JSON.parse(text) as Program).statements) {
        if (isRelational(statement)) markUsed(grammar, 'Query', statement.relation, used);
      }
    } else {
      markUsed(grammar, 'Query', JSON.parse(text), used);
    }
  }
  expect(unused(grammar, used)).toEqual([]);
});

/** Transition starts are part of the grammar and refused: their examples show the refusal, and not every type. */
const refused = (text: string) => text.includes('"start_');
const isShownElsewhere = (part: string) => part.startsWith('ReplacementDefinition.type=');

test('pir.md uses every part of the PIR grammar', () => {
  const grammar = pirDefinitions as Grammar;
  const used = new Set<string>();
  for (const example of pir.examples) {
    if (example.kind !== 'program') continue;
    if (!isAccepted(example) && !refused(example.request)) continue;
    markUsed(grammar, 'Program', JSON.parse(example.request), used);
  }
  for (const program of lir.setup) markUsed(grammar, 'Program', JSON.parse(program), used);
  expect(unused(grammar, used).filter((part) => !isShownElsewhere(part))).toEqual([]);
});

function unused(grammar: Grammar, used: ReadonlySet<string>): readonly string[] {
  return [...partsOf(grammar)].filter((part) => !used.has(part));
}
