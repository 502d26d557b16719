/** The workloads of the benchmark at a size at which only the answers count. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '../../bench/workloads/engines/sqlite.ts';
import { type Goals, pageGoals, shopGoals } from '../../bench/workloads/goals.ts';
import { loadIds } from '../../bench/workloads/measure/loads.ts';
import type { Report } from '../../bench/workloads/measure/outcome.ts';
import { measureSize } from '../../bench/workloads/measure/size.ts';
import { tablesOf } from '../../bench/workloads/measure/text.ts';
import { pages } from '../../bench/workloads/pages.ts';
import type { Workload } from '../../bench/workloads/question.ts';
import { shop } from '../../bench/workloads/shop.ts';
import { program } from '../support/program.ts';

const rows = 2_000;
const pace = { roundMs: 0, warmUpMs: 0, roundsMin: 1, roundsMax: 2, changeRounds: 1 };
const suites: Readonly<Record<string, readonly [Workload, Goals, readonly string[]]>> = {
  shop: [shop(rows), shopGoals, [...loadIds, 'restart']],
  pages: [pages(rows), pageGoals, ['restart']],
};

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-bench-test-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.each(Object.entries(suites))('%s', (name, [workload, goals, others]) => {
  const ids = [...workload.questions.map(({ id }) => id), ...others];

  test('svc and SQLite give the same answer to every question', async () => {
    const notes: string[] = [];
    const size = await measureSize({
      rows,
      workload,
      command: program,
      directory: mkdtempSync(join(directory, name)),
      engines: ['svc', 'sqlite'],
      pace,
      isChosen: () => true,
      print: (line) => notes.push(line),
      note: () => {},
    });
    expect(notes.filter((note) => note.includes('left out'))).toEqual([]);
    expect(size.table.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    for (const { id, outcomes } of size.table) {
      for (const [engine, outcome] of Object.entries(outcomes)) {
        expect({ id, engine, ...('problem' in outcome && outcome) }).toEqual({ id, engine });
      }
    }
    const report: Report = { date: '', workload: name, sizes: [size] };
    expect(tablesOf(report, goals).split('\n').length).toBe(ids.length + 3);
  }, 300_000);

  test('every question has an answer that differs from that of an empty table', async () => {
    await using full = sqlite(':memory:');
    await using empty = sqlite(':memory:');
    for (const table of workload.tables) {
      await full.load(table);
      await empty.load({ ...table, count: 0 });
    }
    for (const { id, change, ...question } of workload.questions) {
      for (const turn of [0, 1]) {
        if (change !== undefined) continue;
        const [some, none] = [full.ask(question, turn), empty.ask(question, turn)];
        expect({ id, isSame: Bun.deepEquals(some, none) }).toEqual({ id, isSame: false });
      }
      if (change === undefined) continue;
      const before = full.ask(change.check, 0);
      full.ask(question, 0);
      expect({ id, isSame: Bun.deepEquals(full.ask(change.check, 0), before) }).toEqual({
        id,
        isSame: false,
      });
    }
  });

  test('every goal belongs to a question', () => {
    expect(Object.keys(goals).filter((id) => !ids.includes(id))).toEqual([]);
  });
});
