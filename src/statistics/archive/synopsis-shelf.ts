/** Records of table statistics, one per table. */

import type { Table } from '#catalog';
import type { Surveys } from '../surveys.ts';
import type { TableSynopsis } from '../synopsis/synopsis.ts';
import type { Entry } from './entries.ts';
import { timeOf } from './record.ts';
import { type Changes, deletionsMax, type Shelf } from './shelf.ts';
import {
  readSynopsis,
  synopsisKey,
  synopsisRange,
  synopsisValue,
  tableOfKey,
} from './synopsis-record.ts';

/** Maximum size of all records. */
const bytesMax = 64 << 20;

export class SynopsisShelf implements Shelf {
  readonly range = synopsisRange;
  private readonly surveys: Surveys;
  /** Returns the tables of the newest catalog. */
  private readonly tables: () => readonly Table[];
  /** Size and collection time of each stored record, by physical id of the table. */
  private readonly stored = new Map<
    number,
    { readonly bytes: number; readonly atUnixMs: number }
  >();
  private bytes = 0;
  private readonly pending = new Map<number, TableSynopsis>();

  constructor(surveys: Surveys, tables: () => readonly Table[]) {
    this.surveys = surveys;
    this.tables = tables;
  }

  get isPending(): boolean {
    return this.pending.size > 0;
  }

  onPending(wake: () => void): void {
    this.surveys.kept = (synopsis) => {
      this.pending.set(synopsis.physicalId, synopsis);
      wake();
    };
  }

  see(key: Uint8Array, value: Uint8Array): boolean {
    const id = tableOfKey(key);
    const atUnixMs = timeOf(value);
    if (id === undefined || atUnixMs === undefined) return false;
    if (this.stored.get(id)?.atUnixMs === atUnixMs) return true;
    const isKnown = this.tables().some(({ physicalId }) => physicalId === id);
    const synopsis = isKnown ? readSynopsis(key, value) : undefined;
    if (synopsis === undefined) return false;
    this.note(id, value.length, atUnixMs);
    this.surveys.restore(synopsis);
    return true;
  }

  seen(): void {}

  async changes(): Promise<Changes> {
    const known = new Set(this.tables().map(({ physicalId }) => physicalId));
    const gone = [...this.stored.keys()].filter((id) => !known.has(id)).slice(0, deletionsMax);
    const written: { readonly synopsis: TableSynopsis; readonly bytes: number }[] = [];
    const puts: Entry[] = [];
    let bytes = this.bytes;
    const taken = [...this.pending.values()];
    for (const synopsis of taken) {
      const value = known.has(synopsis.physicalId) ? synopsisValue(synopsis) : undefined;
      bytes += value?.length ?? 0;
      if (value === undefined || bytes > bytesMax) continue;
      puts.push({ key: synopsisKey(synopsis.physicalId), value });
      written.push({ synopsis, bytes: value.length });
    }
    const done = () => {
      for (const synopsis of taken) {
        // A newer synopsis may have become pending meanwhile.
        const { physicalId } = synopsis;
        if (this.pending.get(physicalId) === synopsis) this.pending.delete(physicalId);
      }
      for (const id of gone) {
        this.bytes -= this.stored.get(id)?.bytes ?? 0;
        this.stored.delete(id);
      }
      for (const { synopsis, bytes: size } of written) {
        this.note(synopsis.physicalId, size, synopsis.collectedAtUnixMs);
      }
    };
    return { puts, deletions: gone.map(synopsisKey), done };
  }

  private note(id: number, bytes: number, atUnixMs: number): void {
    this.bytes += bytes - (this.stored.get(id)?.bytes ?? 0);
    this.stored.set(id, { bytes, atUnixMs });
  }
}
