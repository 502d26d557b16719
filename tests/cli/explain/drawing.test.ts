/** How plans are drawn: the tree, the figures beside it or below, wrong estimates, and what terminals have room for. */

import { describe, expect, test } from 'bun:test';
import type { PlanNode } from '#client';
import { reportFacts, reportLines, reportOf } from '../../../src/cli/explain/report.ts';
import { diagnostics, joined, joinedMeasures, measure, node } from './plans.ts';

const plain = (_style: string, text: string) => text;

function planned(root: PlanNode, bindings: { title: string; root: PlanNode }[] = []) {
  const explained = { plan: { statements: [{ name: 'q', view: { bindings, root } }] } };
  return reportOf(explained, [{ name: 'q', kind: 'query' }], false);
}

function measured(root: PlanNode, told: Parameters<typeof diagnostics>[0]) {
  const plan = { statements: [{ name: 'q', view: { bindings: [], root } }] };
  const explained = { plan, diagnostics: diagnostics(told) };
  return reportOf(explained, [{ name: 'q', kind: 'query' }], true);
}

const drawn = (report: ReturnType<typeof planned>, columns = 100, paint = plain) =>
  `\n${reportLines(report, columns, paint).join('\n')}\n`;

test('a plan: what is done, how many rows are expected, and why', () => {
  expect(drawn(planned(joined))).toBe(`
q: query · 8 rows estimated

                                       estimated  from
sort city                                      8
│   ordered by: city
└─ aggregate city count(), sum(total)          8  assumed
   └─ hash join inner on user = id         2,000  assumed
      │   build: left
      ├─ scan orders                       2,000  surveyed
      │      access: index by_total: total > 970
      │      columns: user, total
      │      why: index by_total of 2000 rows (surveyed) costs 200200, table of 200000 rows
      │        (counted) costs 340000
      └─ scan users                           20  counted
             access: whole table
             columns: id, city
             at most: 1,000

Nothing ran: these are estimates.
`);
});

test('a plan that was measured: estimates beside rows, with those that were wrong, and times', () => {
  expect(drawn(measured(joined, { operators: joinedMeasures }))).toBe(`
q: query · 7 rows · 8 rows estimated · 9.86 ms

                                      estimated  from      rows   wrong by  total ms  self ms  calls
sort city                                     8               7                 8.93     0.24      2
│   ordered by: city
└─ aggregate city count(),                    8  assumed      7                 8.69     0.59      4
   │   sum(total)
   └─ hash join inner on user = id        2,000  assumed    120  17× fewer      8.10     3.65      2
      │   build: left
      ├─ scan orders                      2,000  surveyed   120  17× fewer      3.56     3.56      2
      │      access: index by_total: total > 970
      │      columns: user, total
      │      why: index by_total of 2000 rows (surveyed) costs 200200, table of 200000 rows
      │        (counted) costs 340000
      └─ scan users                          20  counted    500   25× more      0.89     0.89      2
             access: whole table
             columns: id, city
             at most: 1,000

0.93 ms outside of operators, waits included
storage: memory 75 hits, 2 misses · 2 reads of the store, 11 KiB in 0.04 ms

planning 4.36 ms · execution 82.6 ms · 92.4 ms in all
800 reads by key · 41 ranges scanned, 1,257 entries · 48 KiB
3 estimates are wrong by 10 times or more: \`svc docs explain\` describes remedies
`);
});

test('without room beside the tree, figures stand below', () => {
  expect(drawn(measured(joined, { operators: joinedMeasures }), 60)).toBe(`
q: query · 7 rows · 8 rows estimated · 9.86 ms

sort city
│   estimated 8, rows 7, total 8.93 ms, self 0.24 ms,
│   calls 2
│   ordered by: city
└─ aggregate city count(), sum(total)
   │   estimated 8, from assumed, rows 7, total 8.69 ms,
   │   self 0.59 ms, calls 4
   └─ hash join inner on user = id
      │   estimated 2,000, from assumed, rows 120,
      │   wrong by 17× fewer, total 8.10 ms, self 3.65 ms,
      │   calls 2
      │   build: left
      ├─ scan orders
      │      estimated 2,000, from surveyed, rows 120,
      │      wrong by 17× fewer, total 3.56 ms,
      │      self 3.56 ms, calls 2
      │      access: index by_total: total > 970
      │      columns: user, total
      │      why: index by_total of 2000 rows (surveyed)
      │        costs 200200, table of 200000 rows (counted)
      │        costs 340000
      └─ scan users
             estimated 20, from counted, rows 500,
             wrong by 25× more, total 0.89 ms, self 0.89 ms,
             calls 2
             access: whole table
             columns: id, city
             at most: 1,000

0.93 ms outside of operators, waits included
storage: memory 75 hits, 2 misses · 2 reads of the store, 11
  KiB in 0.04 ms

planning 4.36 ms · execution 82.6 ms · 92.4 ms in all
800 reads by key · 41 ranges scanned, 1,257 entries · 48 KiB
3 estimates are wrong by 10 times or more: \`svc docs
  explain\` describes remedies
`);
});

test.each([20, 30, 59, 60, 80, 81, 200])('no line is wider than %d columns', (columns) => {
  const lines = drawn(measured(joined, { operators: joinedMeasures }), columns).split('\n');
  expect(lines.filter((line) => Bun.stringWidth(line) > columns)).toEqual([]);
  const words = lines.join('').replaceAll(/[^a-z0-9_]/gi, '');
  for (const word of ['aggregate', 'by_total', 'wrong', 'storage']) expect(words).toContain(word);
});

test('what is wide, and what is of two columns a character, keeps to the terminal', () => {
  const table = '\u6ce8\u6587'.repeat(60);
  const root = node('scan', 0, { details: { table, access: 'x'.repeat(300) } });
  const lines = drawn(planned(root), 50).split('\n');
  expect(lines.filter((line) => Bun.stringWidth(line) > 50)).toEqual([]);
  expect(lines.join('').replaceAll(' ', '')).toContain('\u6ce8\u6587\u6ce8\u6587');
});

test('a plan of thousands of operators one below the other is drawn, and stays in its columns', () => {
  let root = node('scan', 0, { details: { table: 't' } });
  for (let id = 1; id < 9_000; id++) root = node('filter', id, { inputs: [root] });
  const lines = drawn(planned(root), 80).split('\n');
  expect(lines.filter((line) => Bun.stringWidth(line) > 80)).toEqual([]);
  expect(lines.find((line) => line.includes('scan t'))).toContain('8999: scan t');
  expect(JSON.stringify(reportFacts(planned(root)), undefined, 2).length).toBeLessThan(4 << 20);
});

test('names and literals cannot steer the terminal', () => {
  const root = node('filter', 1, {
    details: { predicate: 'name = "\u001b]0;owned\u0007"' },
    inputs: [node('scan', 0, { details: { table: 'a\nb\u202e' } })],
  });
  const text = drawn(planned(root));
  expect(text).toContain('filter name = "\\u001b]0;owned\\u0007"');
  expect(text).toContain('scan a\\u000ab\\u202e');
});

test('colours mark what is wrong and where the time goes, and move nothing', () => {
  const report = measured(joined, { operators: joinedMeasures });
  const marked: string[] = [];
  const paint = (style: string, text: string) => {
    if (style === 'red' || style === 'yellow') marked.push(`${style} ${text.trim()}`);
    return text;
  };
  expect(drawn(report, 100, paint)).toBe(drawn(report));
  expect(marked).toEqual([
    'red 17\u00d7 fewer',
    'yellow 3.65',
    'red 17\u00d7 fewer',
    'yellow 3.56',
    'red 25\u00d7 more',
  ]);
});

describe('an estimate', () => {
  const missOf = (root: PlanNode, operators: readonly ReturnType<typeof measure>[], id: number) => {
    const [tree] = measured(root, { operators }).statements[0]?.trees ?? [];
    return tree?.rows.find((row) => row.node.id === id)?.measured?.miss;
  };
  const scan = (rows: number) => node('scan', 0, { estimated_rows: rows });

  test.each([
    [100, 1_000, { factor: 10, isMore: true }],
    [1_000, 100, { factor: 10, isMore: false }],
    [0, 0, { factor: 1, isMore: true }],
    [10, 0, { factor: 10, isMore: false }],
  ])('of %d rows where %d came', (estimated, rows, miss) => {
    expect(missOf(scan(estimated), [measure(0, rows, [1, 1])], 0)).toEqual(miss);
  });

  test('of an operator that was stopped, or never run, is not called too high', () => {
    const stopped = measure(0, 1, [1, 1], { complete: false });
    expect(missOf(scan(1_000), [stopped], 0)).toBeUndefined();
    expect(missOf(scan(1), [{ ...stopped, outputRows: 1_000 }], 0)?.isMore).toBe(true);
    expect(missOf(scan(1_000), [{ ...stopped, opens: 0, outputRows: 0 }], 0)).toBeUndefined();
  });

  test.each([
    ['slice', {}],
    ['sort', { top: 3 }],
    ['merge_join', {}],
    ['hash_join', { build: 'right' }],
  ] as const)('below %s %p is not called too high', (operator, details) => {
    const root = node(operator, 1, { details, inputs: [scan(1_000)] });
    const measures = [measure(0, 1, [1, 1]), measure(1, 1, [1, 1])];
    expect(missOf(root, measures, 0)).toBeUndefined();
  });

  test.each([
    ['sort', {}],
    ['aggregate', {}],
    ['hash_join', { build: 'left' }],
  ] as const)('below %s %p is', (operator, details) => {
    const root = node(operator, 1, { details, inputs: [scan(1_000)] });
    const measures = [measure(0, 1, [1, 1]), measure(1, 1, [1, 1])];
    expect(missOf(root, measures, 0)).toEqual({ factor: 1_000, isMore: false });
  });

  test('of a scan that tests the condition of the filter above is of rows that were not handed on', () => {
    const root = node('filter', 1, { estimated_rows: 1_000, inputs: [scan(1_000)] });
    const measures = [measure(0, 1, [1, 1]), measure(1, 1, [1, 1])];
    expect(missOf(root, measures, 0)).toBeUndefined();
    expect(missOf(root, measures, 1)).toEqual({ factor: 1_000, isMore: false });
  });

  test('of a plan that runs anew is of each run, and of a crossing of one to all enclosing rows', () => {
    const crossing = (opens: number, rows: number, kind = 'array') => {
      const outer = node('scan', 1);
      const details = { crossings: [`${kind} 0`] };
      const root = node('attach', 2, { details, inputs: [outer, scan(10)] });
      const inner = measure(0, rows, [1, 1], { opens });
      return missOf(root, [measure(1, 100, [1, 1]), inner, measure(2, 100, [1, 1])], 0);
    };
    expect(crossing(100, 1_000)).toEqual({ factor: 1, isMore: true });
    // Run for all rows at once, or for one after the other: either may be.
    expect(crossing(7, 1_000)?.factor).toBe(1);
    expect(crossing(7, 200)?.factor).toBe(1);
    expect(crossing(100, 20_000)).toEqual({ factor: 20, isMore: true });
    expect(crossing(100, 50)).toEqual({ factor: 20, isMore: false });
    // The first row is enough.
    expect(crossing(100, 50, 'exists')).toBeUndefined();
  });
});

test('bindings, runs, and operators that were not measured are told', () => {
  const root = node('lookup_join', 1, {
    details: { join: 'inner', registers: ['outer 0 = id'] },
    inputs: [
      node('materialized', 0, { details: { of: 'binding b' } }),
      node('scan', 2, { details: { table: 't' } }),
      node('scan', 3, { details: { table: 'u' } }),
    ],
  });
  const binding = { title: 'binding b', root: node('rows', 4, { estimated_rows: 2 }) };
  const plan = { statements: [{ name: 'q', view: { bindings: [binding], root } }] };
  const operators = [
    measure(0, 20, [10, 10]),
    measure(1, 5, [90, 20]),
    measure(2, 20, [40, 40], { opens: 20 }),
    measure(3, 0, [0, 0], { opens: 0, calls: 0 }),
  ];
  const told = diagnostics({ operators, dropped: 1 });
  const report = reportOf({ plan, diagnostics: told }, [{ name: 'q', kind: 'query' }], true);
  const text = drawn(report);
  expect(text).toContain('\nbinding b\n');
  expect(text).toMatch(/\nrows +2\n/);
  expect(text).toMatch(/scan t \(20 runs\) +20 +20 /);
  expect(text).toMatch(/scan u \(never run\) /);
  expect(text).toContain('\n1 operator beyond the measurement limit, without figures\n');
});

test('the same as data', () => {
  const facts = reportFacts(measured(joined, { operators: joinedMeasures }));
  expect(facts).toMatchObject({
    analyzed: true,
    planningMicros: 4_360,
    executionMicros: 82_600,
    wrongEstimates: 3,
    statements: [
      {
        name: 'q',
        kind: 'query',
        rows: 7,
        micros: 9_860,
        unattributedMicros: 930,
        bindings: [],
        operators: [
          {
            operator: 'sort',
            id: 4,
            above: null,
            rows: 7,
            runs: 1,
            total_micros: 8_930,
            self_micros: 240,
            estimate_wrong: false,
          },
          { operator: 'aggregate', above: 4 },
          {
            operator: 'hash_join',
            above: 3,
            estimated_rows: 2_000,
            estimated_from: 'assumed',
            estimate_error: 16.67,
            estimate_wrong: true,
          },
          { operator: 'scan', above: 2 },
          { operator: 'scan', above: 2 },
        ],
      },
    ],
  });
});
