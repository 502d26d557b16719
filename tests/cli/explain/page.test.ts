/** docs/explain.md: its picture is what is drawn, and its words are those of plans. */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reportLines, reportOf } from '../../../src/cli/explain/report.ts';
import { assumed, costs } from '../../../src/planner/cost/defaults.ts';
import { diagnostics, joined, joinedMeasures } from './plans.ts';

const page = readFileSync(join(import.meta.dir, '../../../docs/explain.md'), 'utf8');

test('the picture is what is drawn', () => {
  const plan = { statements: [{ name: 'q', view: { bindings: [], root: joined } }] };
  const explained = { plan, diagnostics: diagnostics({ operators: joinedMeasures }) };
  const report = reportOf(explained, [{ name: 'q', kind: 'query' }], true);
  const [, picture] = /```text\n([\s\S]*?)```/.exec(page) ?? [];
  expect(picture).toBe(`${reportLines(report, 104, (_, text) => text).join('\n')}\n`);
});

test('the costs and assumptions are those of the planner', () => {
  const row = (what: string) => new RegExp(`\\| ${what}.*\\| (\\d+) \\|`).exec(page)?.[1];
  expect({
    tableRow: row('a row in key order'),
    seek: row('the start of a range'),
    indexEntry: row('an index entry that contains'),
    indexRow: row('an index entry and its row'),
    point: row('a row by its whole key'),
  }).toEqual({
    tableRow: `${costs.tableRow}`,
    seek: `${costs.seek}`,
    indexEntry: `${costs.indexEntry}`,
    indexRow: `${costs.indexRow}`,
    point: `${costs.point}`,
  });
  const { equal, range, tableRows } = assumed;
  expect(page).toContain(
    `${equal * 100} % for an equality, ${range * 100} % for an inequality, ${tableRows.toLocaleString('en-US')} rows for a smaller table`,
  );
});
