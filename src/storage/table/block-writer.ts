/**
 * Writes one block from front to back. The writer first reserves the header and the directory. The
 * sections follow, each aligned to eight bytes.
 */

import { ByteWriter } from '#base';
import { directory, header } from './block-format.ts';
import type { Zone } from './zones.ts';

/** The nonzero parts of a directory entry. */
interface DirectoryEntry {
  readonly column?: number;
  readonly kind?: number;
  readonly encoding: number;
  readonly flags?: number;
  readonly nullsAt?: number;
  readonly absentAt?: number;
  readonly dataAt: number;
  readonly auxiliaryAt?: number;
  readonly base?: number;
}

export class BlockWriter {
  readonly out = new ByteWriter(64 * 1024);
  columns = 0;
  /** The zones of the columns, set by the codec. */
  zones: Zone[] = [];

  /** Starts a block. Call it before writing any section. */
  openDirectory(columns: number): void {
    this.columns = columns;
    this.zones = [];
    this.out.clear();
    const bytes = header.bytes + columns * directory.bytes;
    this.out.reserve(bytes);
    this.out.bytes.fill(0, 0, bytes);
  }

  entry(index: number, entry: DirectoryEntry): void {
    const at = header.bytes + index * directory.bytes;
    const view = this.out.view;
    view.setUint32(at + directory.column, entry.column ?? 0, true);
    view.setUint8(at + directory.kind, entry.kind ?? 0);
    view.setUint8(at + directory.encoding, entry.encoding);
    view.setUint8(at + directory.flags, entry.flags ?? 0);
    view.setUint32(at + directory.nullsAt, entry.nullsAt ?? 0, true);
    view.setUint32(at + directory.absentAt, entry.absentAt ?? 0, true);
    view.setUint32(at + directory.dataAt, entry.dataAt, true);
    view.setUint32(at + directory.auxiliaryAt, entry.auxiliaryAt ?? 0, true);
    view.setFloat64(at + directory.base, entry.base ?? 0, true);
  }

  /** Adds padding, and returns the offset of the next section. */
  align(): number {
    const padding = -this.out.length & 7;
    const at = this.out.reserve(padding);
    this.out.bytes.fill(0, at, at + padding);
    return at + padding;
  }

  section(bytes: Uint8Array, from: number, to: number): number {
    const at = this.align();
    this.out.append(bytes, from, to);
    return at;
  }

  /** Writes a section of u16 or u32 ends, and returns its offset. */
  ends(ends: Uint32Array, count: number, isWide: boolean): number {
    const at = this.align();
    this.out.reserve(count * (isWide ? 4 : 2));
    const view = this.out.view;
    if (isWide) for (let i = 0; i < count; i++) view.setUint32(at + 4 * i, ends[i] as number, true);
    else for (let i = 0; i < count; i++) view.setUint16(at + 2 * i, ends[i] as number, true);
    return at;
  }
}
