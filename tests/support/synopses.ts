/** Synopses made up for tests: what a survey might have found, and what none could. */

import type { Column, Table } from '#catalog';
import type {
  ColumnSynopsis,
  GroupSynopsis,
  PlanFeedback,
  Statistics,
  Surveyed,
} from '#statistics';
import { ByteString, type Scalar } from '#value';

/** By name of the column; what is left out is that of a column with 10 values, each as often. */
type Columns = Readonly<Record<string, Partial<ColumnSynopsis>>>;

export function surveyedAs(
  table: Table,
  rows: number,
  columns: Columns = {},
  groups: readonly (Partial<GroupSynopsis> & Pick<GroupSynopsis, 'columns'>)[] = [],
): Surveyed {
  const counts = { nulls: 0, distinct: 10, distinctIsExact: true, distinctInTable: 10 };
  return {
    ageMs: 0,
    changes: 0,
    synopsis: {
      table: table.id,
      physicalId: table.physicalId,
      observedRows: rows,
      tableRows: rows,
      coverage: 'complete',
      collectedAtUnixMs: 0,
      catalogVersion: 1,
      columns: table.columns.map((column) => ({
        column: column.id,
        physicalId: column.physicalId,
        ...counts,
        averageWidth: 8,
        minimum: undefined,
        maximum: undefined,
        mostCommon: [],
        bounds: [],
        ...columns[column.name],
      })),
      groups: groups.map((group) => ({
        physicalIds: group.columns.map(
          (id) => table.columns.find((column) => column.id === id)?.physicalId ?? 0,
        ),
        mostCommon: [],
        ...counts,
        ...group,
      })),
    },
  };
}

/** Experience that is wrong in another way each time that it is asked, in the same order for the same seed. */
export function lyingExperience(seed: number): PlanFeedback {
  const one = chooser(seed);
  const get = () => one([undefined, undefined, 0, 1, 40, 2_000, 5_000_000]);
  return { correctionOf: () => 0, seenBy: () => one([undefined, { get }]) };
}

/** Linear congruential. */
function chooser(seed: number): <T>(choices: readonly T[]) => T {
  let state = seed;
  return (choices) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return choices[Math.floor((state / 2 ** 32) * choices.length)] as (typeof choices)[number];
  };
}

/** Statistics that are wrong in another way each time that they are asked, in the same order for the same seed. */
export function lies(seed: number): Statistics {
  const one = chooser(seed);
  const below = (bound: number) => one(Array.from({ length: bound }, (_, i) => i));
  const count = () => one([0, 1, 2, 30, 5_000, 3_000_000]);
  const value = ({ type }: Column): Scalar => {
    switch (type) {
      case 'int64':
        return one([-5, 0, 1, 2, 700, 9_007_199_254_740_993n]);
      case 'float64':
        return one([-0.5, 0, 1, 1e300]);
      case 'text':
        return one(['', 'a', 'b', 'zz', '\u{1f600}']);
      case 'bool':
        return below(2) === 0;
      default:
        return new ByteString(Uint8Array.of(below(3)));
    }
  };
  const common = <T>(draw: () => T) =>
    Array.from({ length: below(3) }, () => ({
      value: draw(),
      frequency: count(),
      maximumError: count(),
    }));
  const counts = () => ({
    nulls: count(),
    distinct: count(),
    distinctIsExact: below(2) === 0,
    distinctInTable: count(),
  });
  const surveyed = (table: Table): Surveyed | undefined => {
    if (below(3) === 0) return undefined;
    const columns = table.columns.map((column) => ({
      ...counts(),
      mostCommon: common(() => value(column)),
      bounds: Array.from({ length: one([0, 2, 65]) }, () => value(column)),
    }));
    const named = table.columns.map(({ name }, i) => [name, columns[i] ?? {}] as const);
    const keys = [table.primaryKey, ...table.indexes.map((index) => index.columns)];
    const groups = keys
      .filter((key) => key.length > 1)
      .map((key) => ({
        columns: [...key].sort((a, b) => a - b),
        ...counts(),
        mostCommon: common(() => key.map(() => one([0, 1, 'a']))),
      }));
    const made = surveyedAs(table, count(), Object.fromEntries(named), groups);
    const coverage = one(['complete', 'sample', 'prefixLimit'] as const);
    return { ...made, synopsis: { ...made.synopsis, coverage, observedRows: count() } };
  };
  const far = chooser(seed);
  const remoteReads = () => {
    const pieces = far([1, 40, 9_000]);
    const cold = pieces * far([0, 0.001, 1]);
    const reads = { pieces, cold, scanWaits: cold / far([1, 30]), micros: far([1, 32_768]) };
    return far([undefined, reads]);
  };
  return { rowsOf: count, rowsWithin: count, surveyed, surveyOf: () => 0, remoteReads };
}
