/**
 * The statistics job of one table, an automatic ANALYZE. The job reads a bounded number of rows, in pieces that start at random positions. A
 * small table is read as a whole. The job yields after each batch of rows.
 */

import { compareBytes, type World } from '#base';
import type { Table } from '#catalog';
import { tableLayout } from '#layout';
import type { KeyRange, ReadView } from '#storage';
import type { EntryCounts } from '../counted.ts';
import type { Coverage, TableSynopsis } from '../synopsis/synopsis.ts';
import { ColumnSurvey, type Values } from './column-survey.ts';
import { GroupSurvey, groupsOf } from './group-survey.ts';
import { keyEndsOf } from './key-ends.ts';
import { keyAtRank } from './positions.ts';
import { SamplePieceReader, stretchRows } from './sample-piece-reader.ts';

/** Limits of one job. */
const surveyLimits = {
  rows: 50_000,
  bytes: 64 * 2 ** 20,
  ms: 30_000,
  pieces: 64,
  /** Maximum number of columns. Further columns are not analyzed. */
  columns: 128,
} as const;

/** Returns the maximum memory of a job for this table, in bytes. */
export function surveyBytes(table: Table): number {
  const sketches = Math.min(table.columns.length, surveyLimits.columns) + groupsOf(table).length;
  return sketches * bytesOfSketch;
}

/** Size of the hashes, range values and common values of one column or group. */
const bytesOfSketch = 300 * 1024;

/** The data that a job reads, and the clock and scheduler that it uses. */
interface SurveyGround {
  readonly view: ReadView;
  readonly entries: EntryCounts;
  readonly world: World;
  readonly catalogVersion: number;
  /** Returns true if the job must end early. */
  readonly isStopped: () => boolean;
}

/** Collects the statistics of a table; `undefined` if the job was stopped. Rejects if the table cannot be read. */
export async function surveyTable(
  table: Table,
  ground: SurveyGround,
): Promise<TableSynopsis | undefined> {
  const survey = new Survey(table, ground);
  return (await survey.read()) ? survey.synopsis() : undefined;
}

class Survey {
  private readonly table: Table;
  private readonly ground: SurveyGround;
  private readonly columns: readonly ColumnSurvey[];
  private readonly groups: readonly GroupSurvey[];
  private readonly reader: SamplePieceReader;
  private readonly startMs: number;
  private piece = 1;
  private rows = 0;
  private tableRows = 0;
  private coverage: Coverage = 'complete';

  constructor(table: Table, ground: SurveyGround) {
    this.table = table;
    this.ground = ground;
    const { random, clock } = ground.world;
    const columns = table.columns.slice(0, surveyLimits.columns);
    this.columns = columns.map((column) => new ColumnSurvey(column, () => random.unit()));
    const byId = new Map(this.columns.map((survey) => [survey.column.id, survey]));
    this.groups = groupsOf(table).flatMap((ids) => {
      const members = ids.flatMap((id) => byId.get(id) ?? []);
      return members.length === ids.length ? [new GroupSurvey(members)] : [];
    });
    this.reader = new SamplePieceReader(table, columns, (values, count) =>
      this.take(values, count),
    );
    this.startMs = clock.monotonicMs();
  }

  /** Reads the rows. Returns false if the job was stopped. */
  async read(): Promise<boolean> {
    const { range } = tableLayout(this.table);
    this.tableRows = this.ground.entries.entriesIn(range);
    const isSampled = this.tableRows > surveyLimits.rows;
    const starts = isSampled ? await this.starts(range) : [range.from];
    const share = {
      rows: Math.floor(surveyLimits.rows / starts.length),
      bytes: surveyLimits.bytes / starts.length,
    };
    let isWhole = true;
    for (const [i, from] of starts.entries()) {
      this.piece = i + 1;
      const piece = { from, to: starts[i + 1] ?? range.to };
      isWhole = (await this.readPiece(piece, share)) && isWhole;
      if (this.ground.isStopped()) return false;
      if (this.isLate && i < starts.length - 1) this.coverage = 'prefixLimit';
      if (this.isLate) break;
    }
    if (isSampled && this.coverage === 'complete') this.coverage = 'sample';
    if (!isSampled && !isWhole) this.coverage = 'prefixLimit';
    if (this.coverage !== 'complete') await this.reachEnds();
    return true;
  }

  synopsis(): TableSynopsis {
    const { table, rows, coverage } = this;
    // The count of the store includes versions that are not compacted yet. If the table was read as a whole, the exact number is known.
    const tableRows = coverage === 'complete' ? rows : Math.max(rows, this.tableRows);
    const share = tableRows === 0 ? 1 : rows / tableRows;
    return {
      table: table.id,
      physicalId: table.physicalId,
      observedRows: rows,
      tableRows,
      coverage,
      collectedAtUnixMs: this.ground.world.clock.unixMs(),
      catalogVersion: this.ground.catalogVersion,
      columns: this.columns.map((column) => column.synopsis(share)),
      groups: this.groups.map((group) => group.synopsis(share)),
    };
  }

  /** Adds the ends of keys to the columns. Rows that were not read may contain smaller and larger values, but the ends of a key are always known. */
  private async reachEnds(): Promise<void> {
    const ends = await keyEndsOf(this.table, this.ground.view);
    for (const survey of this.columns) {
      const own = ends.find(({ column }) => column === survey.column);
      if (own === undefined) continue;
      survey.reach(own.minimum);
      survey.reach(own.maximum);
    }
  }

  /** Returns one random position in each of several equal parts of the table, with enough rows after it for a piece. */
  private async starts(range: KeyRange): Promise<readonly Uint8Array[]> {
    const { entries, world } = this.ground;
    const { pieces, rows } = surveyLimits;
    const width = this.tableRows / pieces;
    const room = Math.max(0, width - rows / pieces);
    const starts: Uint8Array[] = [];
    for (let i = 0; i < pieces; i++) {
      const rank = i * width + world.random.unit() * room;
      const start = keyAtRank(entries, range, Math.floor(rank));
      const last = starts.at(-1);
      // If the store counts by blocks, two positions may be equal.
      if (last === undefined || compareBytes(start, last) > 0) starts.push(start);
      await world.scheduler.yield();
    }
    return starts;
  }

  /** Reads a piece. Returns whether it reached the end of the range. */
  private async readPiece(
    range: KeyRange,
    max: { readonly rows: number; readonly bytes: number },
  ): Promise<boolean> {
    const { view, world, isStopped } = this.ground;
    const cursor = view.scan(range, 'forward');
    const bytesMax = this.reader.bytes + max.bytes;
    let rows = 0;
    let sinceYield = 0;
    try {
      while (rows < max.rows && this.reader.bytes < bytesMax) {
        const step = cursor.next();
        if (step === false) return true;
        if (step !== true) {
          await view.until(step);
          continue;
        }
        const read = this.reader.read(cursor, max.rows - rows);
        rows += read;
        sinceYield += read;
        if (sinceYield < stretchRows) continue;
        if (this.isLate || isStopped()) return false;
        sinceYield = 0;
        await world.scheduler.yield();
      }
      return false;
    } finally {
      cursor.close();
      this.reader.flush();
      this.rows += rows;
    }
  }

  private take(values: readonly Values[], count: number): void {
    const { columns, piece } = this;
    columns.forEach((column, c) => {
      column.take(values[c] as Values, count, piece);
    });
    if (this.groups.length === 0) return;
    const valuesOf = new Map(columns.map((column, c) => [column, values[c] as Values]));
    for (const group of this.groups) group.take(valuesOf, count, piece);
  }

  private get isLate(): boolean {
    return this.ground.world.clock.monotonicMs() - this.startMs > surveyLimits.ms;
  }
}
