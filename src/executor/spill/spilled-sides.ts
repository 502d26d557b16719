/**
 * The spilled sides of a hash join, or of a set operation, whose build side exceeds the memory. Both sides are partitioned by the hashes of their
 * keys, and read again one pair of parts after the other. If a build part is too large, it is partitioned again, together with its probe part, with other hashes.
 */

import type { Pending } from '#base';
import type { DatumType } from '#value';
import type { Batch } from '../batch/batch.ts';
import type { Vector } from '../batch/vector.ts';
import { levelsMax, Partitions } from './partitions.ts';
import type { ProgramFile, ProgramSpill } from './program-spill.ts';
import type { SpilledReader, SpilledRows } from './spilled-rows.ts';

/** Rows of one side, with their keys as separate columns. */
export interface KeyedBatch {
  readonly batch: Batch;
  readonly keys: readonly Vector[];
}

interface SideTypes {
  readonly rows: readonly DatumType[];
  readonly keys: readonly DatumType[];
}

interface SideOptions {
  /** Whether probe rows are needed even if their build part is empty, as for an outer join. */
  readonly keepsProbe: boolean;
  /** Whether all rows of one key are in memory together, so that one key alone can exceed the memory. */
  readonly keepsOneKey: boolean;
}

interface Pair {
  readonly held: SpilledRows;
  readonly probe: SpilledRows;
  readonly level: number;
  /** Whether the rows may be partitioned again: their keys may have different hashes. */
  readonly canPart: boolean;
  /** The file is closed after its last pair has been joined. */
  readonly file: ProgramFile;
  readonly isLast: boolean;
}

interface OpenParts {
  readonly held: Partitions;
  readonly probe: Partitions;
  readonly file: ProgramFile;
}

export class SpilledSides {
  private readonly heldTypes: SideTypes;
  private readonly probeTypes: SideTypes;
  private readonly options: SideOptions;
  private readonly spill: ProgramSpill;
  private readonly waiting: Pair[] = [];
  private current: Pair | undefined;
  private heldReader: SpilledReader | undefined;
  private probeReader: SpilledReader | undefined;
  private open: OpenParts | undefined;

  constructor(held: SideTypes, probe: SideTypes, options: SideOptions, spill: ProgramSpill) {
    this.heldTypes = held;
    this.probeTypes = probe;
    this.options = options;
    this.spill = spill;
  }

  get bytes(): number {
    let bytes = this.open === undefined ? 0 : this.open.held.bytes + this.open.probe.bytes;
    for (const { held, probe } of this.waiting) bytes += held.bytes + probe.bytes;
    return bytes;
  }

  /** Whether a pair is being read, and no longer the inputs. */
  get isReading(): boolean {
    return this.current !== undefined;
  }

  /** Whether the rows that are being read may be partitioned once more. */
  get canPart(): boolean {
    return this.current?.canPart ?? true;
  }

  addHeld({ batch, keys }: KeyedBatch): void {
    this.opened().held.add(keys, [...batch.columns, ...keys], batch.selection, batch.count);
  }

  addProbe({ batch, keys }: KeyedBatch): void {
    this.opened().probe.add(keys, [...batch.columns, ...keys], batch.selection, batch.count);
  }

  /** Returns a wait if too many bytes are still to be written to disk. */
  crowded(): Pending | undefined {
    return this.open?.file.crowded();
  }

  readHeld(): KeyedBatch | undefined {
    return keyed(this.heldReader?.read(), this.heldTypes);
  }

  readProbe(): KeyedBatch | undefined {
    return keyed(this.probeReader?.read(), this.probeTypes);
  }

  /** Begins the next pair, once the current rows have been joined or partitioned; returns false if there is none. After a wait, call it again. */
  next(): boolean | Pending {
    const { open } = this;
    const wait = open?.held.finish() ?? open?.probe.finish();
    if (wait !== undefined) return wait;
    if (open !== undefined) this.enqueue(open);
    this.open = undefined;
    if (this.current?.isLast === true) this.current.file.close();
    this.current = this.waiting.pop();
    this.heldReader = this.current?.held.reader();
    this.probeReader = this.current?.probe.reader();
    return this.current !== undefined;
  }

  /** Number of rows that `readProbe` returns for the current pair. */
  get probeRows(): number {
    return this.current?.probe.length ?? 0;
  }

  /** Reads the probe rows of the current pair again; returns true. */
  restartProbe(): boolean {
    this.probeReader = this.current?.probe.reader();
    return true;
  }

  close(): void {
    this.open?.file.close();
    for (const { file } of this.waiting) file.close();
    this.current?.file.close();
  }

  private opened(): OpenParts {
    if (this.open === undefined) {
      const file = this.spill.open();
      const level = this.current?.level ?? 0;
      const parts = ({ rows, keys }: SideTypes) => new Partitions([...rows, ...keys], file, level);
      this.open = { held: parts(this.heldTypes), probe: parts(this.probeTypes), file };
    }
    return this.open;
  }

  private enqueue({ held, probe, file }: OpenParts): void {
    const level = held.level + 1;
    const { keepsProbe, keepsOneKey } = this.options;
    // If all rows are in one part, they most likely have one key, and no hash can separate them.
    const isSpread = held.parts.filter(({ length }) => length > 0).length > 1;
    const canPart = level < levelsMax && (isSpread || !keepsOneKey);
    const pairs = held.parts
      .map((rows, i) => ({ held: rows, probe: probe.parts[i] as SpilledRows }))
      .filter((pair) => pair.probe.length > 0 && (keepsProbe || pair.held.length > 0));
    pairs.forEach((pair, i) => {
      this.waiting.push({ ...pair, level, canPart, file, isLast: i === 0 });
    });
    if (pairs.length === 0) file.close();
  }
}

function keyed(batch: Batch | undefined, { rows }: SideTypes): KeyedBatch | undefined {
  if (batch === undefined) return undefined;
  const columns = batch.columns.slice(0, rows.length);
  return { batch: { ...batch, columns }, keys: batch.columns.slice(rows.length) };
}
