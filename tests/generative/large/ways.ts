/** The ways to ask large tables: by keys, by scans, merged, hashed, put down, at rest, and by plans that experience has changed. */

import { systemWorld } from '#base';
import { type Engine, type EngineOptions, openEngine } from '#engine';
import type { PlanOptions } from '#planner';
import type { Statistics } from '#statistics';
import { SpillDirectory } from '../../support/spill-directory.ts';
import { lies, lyingExperience } from '../../support/synopses.ts';

type Setting = Pick<EngineOptions, 'planning'> &
  Partial<Pick<EngineOptions, 'tuning' | 'statistics' | 'experience' | 'openSpill'>>;

export interface LargeWay {
  readonly name: string;
  readonly engine: Engine;
  /** How often it is asked: the third plan knows what the first two have seen. */
  readonly times: number;
}

const full: PlanOptions = { accessPaths: 'all', crossings: 'spooled' };
const scans: PlanOptions = {
  accessPaths: 'scan_only',
  crossings: 'spooled',
  topSorts: 'whole',
  without: ['merge_join', 'zones'],
};
const asWritten: PlanOptions = {
  ...full,
  without: [
    'index_only',
    'late_tests',
    'join_order',
    'merge_join',
    'outer_to_inner',
    'redundant_distinct',
    'semi_join',
    'rows_ahead',
  ],
};

/** Rows lie as columns, in several tables. */
const atRest = { memtableBytes: 1 << 18, blockBytes: 4_096, cacheBytes: 64 << 20 };

const said = (rows: number, rowsWithin: number): Statistics => ({
  rowsOf: () => rows,
  rowsWithin: () => rowsWithin,
  surveyed: () => undefined,
  surveyOf: () => 1,
});

const settings: Readonly<Record<string, () => Setting>> = {
  engine: () => ({ planning: full }),
  scans: () => ({ planning: scans }),
  as_written: () => ({ planning: asWritten }),
  by_keys: () => ({ planning: full, statistics: said(1_000_000, 1) }),
  by_order: () => ({ planning: full, statistics: said(1_000_000, 900_000) }),
  learning: () => ({ planning: full, statistics: said(10_000_000, 10) }),
  at_rest: () => ({ planning: full, tuning: atRest }),
  spilled: () => ({
    planning: scans,
    tuning: atRest,
    openSpill: () => new SpillDirectory().space({ holdBytes: 1 << 17 }),
  }),
  misled: () => ({ planning: full, statistics: lies(1), experience: lyingExperience(2) }),
};

/** Ways whose plans may be as bad as they like: what they do not answer in time is not compared. */
const patienceMs = 20_000;

export async function openLargeWays(withMisled: boolean): Promise<readonly LargeWay[]> {
  const names = Object.keys(settings).filter((name) => withMisled || name !== 'misled');
  return Promise.all(
    names.map(async (name) => ({
      name,
      times: name === 'engine' || name === 'learning' ? 3 : 1,
      engine: await openEngine({
        storage: 'memory',
        path: '',
        mode: 'direct',
        world: systemWorld(),
        tuning: { cacheBytes: 64 << 20 },
        programMemoryBytes: 512 << 20,
        statementTimeoutMs: name === 'misled' ? patienceMs : 0,
        concurrency: 1,
        queueMax: 1,
        holderAddress: 'test',
        ...(settings[name] as () => Setting)(),
      }),
    })),
  );
}
