/** Statistics of column groups: columns whose values belong together, because a key contains them next to each other. */

import type { Table } from '#catalog';
import type { Scalar } from '#value';
import { DistinctSketch } from '../sketch/distinct-sketch.ts';
import { MostCommon } from '../sketch/most-common.ts';
import { hashOfPair } from '../sketch/value-hash.ts';
import type { GroupSynopsis } from '../synopsis/synopsis.ts';
import { type ColumnSurvey, nullHash, type Values } from './column-survey.ts';

const groupsMax = 32;
const columnsMax = 4;

/** Returns the column ids of each group, 2 to 4 per group. The groups are prefixes of the primary key, then foreign keys, then prefixes of indexes. If there are too many, the last ones are left out. */
export function groupsOf({
  primaryKey,
  foreignKeys,
  indexes,
}: Table): readonly (readonly number[])[] {
  const found = new Map<string, readonly number[]>();
  const add = (columns: readonly number[]) => {
    const ids = [...new Set(columns)].sort((a, b) => a - b);
    if (ids.length < 2 || ids.length > columnsMax || found.size >= groupsMax) return;
    found.set(ids.join(), ids);
  };
  const addStarts = (key: readonly number[]) => {
    for (let length = 2; length <= Math.min(key.length, columnsMax); length++) {
      add(key.slice(0, length));
    }
  };
  addStarts(primaryKey);
  for (const { columns } of foreignKeys) add(columns);
  for (const { columns } of indexes) addStarts(columns);
  return [...found.values()];
}

/** A column of the group, and its values in the current batch. */
interface Member {
  readonly survey: ColumnSurvey;
  readonly values: Values;
}

export class GroupSurvey {
  private readonly members: readonly ColumnSurvey[];
  private readonly distinct = new DistinctSketch();
  private readonly common = new MostCommon<readonly Scalar[]>();
  private nulls = 0;

  constructor(members: readonly ColumnSurvey[]) {
    this.members = members;
  }

  /** Takes a batch. `valuesOf` contains the values of each column, which `ColumnSurvey.take` has processed before. */
  take(valuesOf: ReadonlyMap<ColumnSurvey, Values>, count: number, piece: number): void {
    const members = this.members.map((survey): Member => {
      return { survey, values: valuesOf.get(survey) as Values };
    });
    for (let i = 0; i < count; i++) {
      const hash = hashAt(members, i);
      if (hash === nullHash) {
        this.nulls++;
        continue;
      }
      this.distinct.add(hash, piece);
      if (this.common.count(hash)) continue;
      this.common.add(
        hash,
        members.map(({ values }) => values[i] as Scalar),
      );
    }
  }

  synopsis(share: number): GroupSynopsis {
    const { members, distinct } = this;
    return {
      columns: members.map(({ column }) => column.id),
      physicalIds: members.map(({ column }) => column.physicalId),
      nulls: this.nulls,
      distinct: distinct.count,
      distinctIsExact: distinct.isExact,
      distinctInTable: distinct.inAll(share),
      mostCommon: this.common.values,
    };
  }
}

function hashAt(members: readonly Member[], i: number): number {
  let hash = 0;
  for (const { survey } of members) {
    const own = survey.hashes[i] as number;
    if (own === nullHash) return nullHash;
    hash = hashOfPair(hash, own);
  }
  return hash;
}
