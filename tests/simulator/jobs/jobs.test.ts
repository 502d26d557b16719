/** Several processes do what one does; and what makes no sense is refused. */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { outcomeOf } from '../../support/outcome.ts';
import { cheaper } from '../cheap.ts';
import { changedText } from '../plants/load.ts';
import { Summary, type SummaryData } from '../summary.ts';
import { parseArguments } from '../usage.ts';
import { runTasks } from './pool.ts';
import type { Result, Task } from './task.ts';

const main = join(import.meta.dir, '..', 'main.ts');
const root = join(import.meta.dir, '..', '..', '..');

function part(seeds: number, operations: number, traceHash: number): SummaryData {
  return {
    seeds,
    lost: 0,
    traceHash,
    counts: [['operations', operations]],
    faults: [['kill', { seeds: 1, occasions: 10, activations: operations }]],
  };
}

function merged(parts: readonly SummaryData[]): Summary {
  const summary = new Summary();
  for (const each of parts) summary.merge(each);
  return summary;
}

test('summaries add up, in whatever order they come', () => {
  const parts = [part(3, 5, 0xffff_fff0), part(1, 2, 0x20)];
  const summary = merged(parts);
  expect(summary.data()).toEqual({
    seeds: 4,
    lost: 0,
    traceHash: 0x10,
    counts: [['operations', 7]],
    faults: [['kill', { seeds: 2, occasions: 20, activations: 7 }]],
  });
  expect(merged(parts.toReversed()).lines()).toEqual(summary.lines());
  expect(merged([summary.data()]).lines()).toEqual(summary.lines());
});

test('two processes find what one finds', () => {
  const summaryOf = (jobs: string): string[] => {
    const command = [process.execPath, 'run', main, '--from', '5', '--seeds', '14', '--jobs', jobs];
    const { stdout } = Bun.spawnSync(command);
    return stdout.toString().match(/^(seeds|events|trace hash|kill) .*$/gm) ?? [];
  };
  const one = summaryOf('1');
  expect(one).toHaveLength(4);
  expect(one[0]).toMatch(/ 14$/);
  expect(summaryOf('2')).toEqual(one);
}, 60_000);

test('a process that fails to do its task is told of', async () => {
  const unheardOf = { scenario: 'unheard of', isBucket: false, first: 1, step: 1, openingStep: 1 };
  const tasks: Task[] = [{ kind: 'crashes', commitQueue: unheardOf }];
  const results: Result[] = [];
  const done = (result: Result): boolean => results.push(result) > 0;
  await runTasks(tasks, { jobs: 2, given: [], done });
  expect(results).toMatchObject([{ kind: 'crash failure', commitQueue: unheardOf }]);
  const gone = runTasks(tasks, { jobs: 2, given: ['--plant', 'unheard-of'], done });
  expect(await outcomeOf(gone)).toThrow('a process of the simulator ended by itself: 2');
}, 60_000);

test('what is made cheaper fits', () => {
  for (const change of cheaper) {
    const text = readFileSync(join(root, change.file), 'utf8');
    expect(changedText(text, change)).toContain(change.to);
  }
});

test('numbers of jobs', () => {
  expect(parseArguments([])).toMatchObject({ jobs: undefined });
  expect(parseArguments(['--jobs', '3'])).toMatchObject({ jobs: 3 });
  for (const given of [['--jobs'], ['--jobs', '0'], ['--jobs', 'all'], ['--jobs=-1']]) {
    expect(parseArguments(given)).toBeUndefined();
  }
});

test('a scenario that nobody knows is refused, with the names of all', () => {
  const command = [process.execPath, 'run', main, '--crashes', '--scenario', 'unheard of'];
  const { exitCode, stderr } = Bun.spawnSync(command);
  expect(exitCode).toBe(2);
  expect(stderr.toString()).toContain('group commit');
});
