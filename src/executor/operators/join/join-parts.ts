/**
 * Both sides of a hash join that has no room for the held one, put down in parts by the hashes of their keys, and read again one pair of parts after
 * the other. A held part that is too large in its turn is parted again, with its other half, by other hashes.
 */

import type { Pending } from '#base';
import { DatabaseError } from '#failure';
import type { DatumType } from '#value';
import type { Batch } from '../../batch/batch.ts';
import type { Vector } from '../../batch/vector.ts';
import { levelsMax, Partitions } from '../../spill/partitions.ts';
import type { ProgramFile, ProgramSpill } from '../../spill/program-spill.ts';
import type { SpilledReader, SpilledRows } from '../../spill/spilled-rows.ts';

/** Rows of one side, with their keys beside them. */
export interface KeyedBatch {
  readonly batch: Batch;
  readonly keys: readonly Vector[];
}

interface SideTypes {
  readonly rows: readonly DatumType[];
  readonly keys: readonly DatumType[];
}

interface Pair {
  readonly held: SpilledRows;
  readonly probe: SpilledRows;
  readonly level: number;
  /** Its rows may have keys of different hashes. */
  readonly canPart: boolean;
  /** Closed after the last pair that is in it. */
  readonly file: ProgramFile;
  readonly isLast: boolean;
}

interface OpenParts {
  readonly held: Partitions;
  readonly probe: Partitions;
  readonly file: ProgramFile;
}

export class JoinParts {
  private readonly heldTypes: SideTypes;
  private readonly probeTypes: SideTypes;
  private readonly isOuter: boolean;
  private readonly spill: ProgramSpill;
  private readonly waiting: Pair[] = [];
  private current: Pair | undefined;
  private heldReader: SpilledReader | undefined;
  private probeReader: SpilledReader | undefined;
  private open: OpenParts | undefined;

  /** Of an outer join probe rows count that nothing can match. */
  constructor(held: SideTypes, probe: SideTypes, isOuter: boolean, spill: ProgramSpill) {
    this.heldTypes = held;
    this.probeTypes = probe;
    this.isOuter = isOuter;
    this.spill = spill;
  }

  get bytes(): number {
    let bytes = this.open === undefined ? 0 : this.open.held.bytes + this.open.probe.bytes;
    for (const { held, probe } of this.waiting) bytes += held.bytes + probe.bytes;
    return bytes;
  }

  /** Whether a pair is being read, no longer the inputs. */
  get isReading(): boolean {
    return this.current !== undefined;
  }

  /** Whether what is being read can be parted once more. */
  get canPart(): boolean {
    return this.current?.canPart ?? true;
  }

  addHeld({ batch, keys }: KeyedBatch): void {
    this.opened().held.add(keys, [...batch.columns, ...keys], batch.selection, batch.count);
  }

  addProbe({ batch, keys }: KeyedBatch): void {
    this.opened().probe.add(keys, [...batch.columns, ...keys], batch.selection, batch.count);
  }

  /** A wait when much is on its way to the disk. */
  crowded(): Pending | undefined {
    return this.open?.file.crowded();
  }

  readHeld(): KeyedBatch | undefined {
    return keyed(this.heldReader?.read(), this.heldTypes);
  }

  readProbe(): KeyedBatch | undefined {
    return keyed(this.probeReader?.read(), this.probeTypes);
  }

  /** What was being read has been joined, or put down in parts: the next pair, if there is one. After a wait to be called again. */
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
    // All in one part are most likely rows of one key, which no hash tells apart.
    const canPart = level < levelsMax && held.parts.filter(({ length }) => length > 0).length > 1;
    const pairs = held.parts
      .map((rows, i) => ({ held: rows, probe: probe.parts[i] as SpilledRows }))
      .filter((pair) => pair.probe.length > 0 && (this.isOuter || pair.held.length > 0));
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

/** `error`, which says why a part that cannot be parted once more is too large, with what that means. */
export function oneKeyRefusal(error: unknown): unknown {
  if (!(error instanceof DatabaseError) || error.failure.reason !== 'memory_limit') return error;
  const detail = `${error.failure.detail}: a join holds the rows of one key together, and does not put them on the disk`;
  return new DatabaseError({ ...error.failure, detail }, { cause: error });
}
