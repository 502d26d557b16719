/**
 * Stores values as bytes with their ends: values of indexes, catalog and statistics, and all others
 * without a specific layout.
 */

import type { BlockValues, ValueTarget } from '../contract/stored-block.ts';
import { directory, encodings, header, narrowBytesMax, readEnd, readU32 } from './block-format.ts';
import type { BlockWriter } from './block-writer.ts';
import type { ValueCodec, ValueCodecs, ValueRows } from './value-codec.ts';

const opaqueLayout = 0;

const opaqueCodec: ValueCodec = {
  layout: opaqueLayout,
  split: splitOpaque,
  open: openOpaque,
};

/** Stores the values of all keys unchanged, as bytes. */
export const opaqueValues: ValueCodecs = {
  forKey: () => ({ codec: opaqueCodec, to: undefined }),
  forLayout: (layout) => (layout === opaqueCodec.layout ? opaqueCodec : undefined),
};

function splitOpaque(values: ValueRows, writer: BlockWriter): number {
  writer.openDirectory(1);
  const { bytes, ends, count } = values;
  const total = ends[count - 1] as number;
  if (areEqual(values)) {
    const length = ends[0] as number;
    const dataAt = writer.section(bytes, 0, length);
    writer.entry(0, { encoding: encodings.constant, dataAt, auxiliaryAt: length });
    return opaqueLayout;
  }
  const isWide = total > narrowBytesMax;
  const auxiliaryAt = writer.ends(ends, count, isWide);
  const dataAt = writer.section(bytes, 0, total);
  const encoding = isWide ? encodings.wideEnds : encodings.narrowEnds;
  writer.entry(0, { encoding, dataAt, auxiliaryAt });
  return opaqueLayout;
}

/**
 * Returns true if all bodies are equal. This is mostly the case for the empty bodies of index
 * entries.
 */
function areEqual({ bytes, ends, count }: ValueRows): boolean {
  const length = ends[0] as number;
  for (let i = 1; i < count; i++) if (ends[i] !== length * (i + 1)) return false;
  for (let at = length; at < length * count; at++) {
    if (bytes[at] !== bytes[at - length]) return false;
  }
  return true;
}

function openOpaque(bytes: Uint8Array): BlockValues {
  const encoding = bytes[header.bytes + directory.encoding] as number;
  const dataAt = readU32(bytes, header.bytes + directory.dataAt);
  const auxiliaryAt = readU32(bytes, header.bytes + directory.auxiliaryAt);
  if (encoding === encodings.constant) return new ConstantValues(bytes, dataAt, auxiliaryAt);
  return new OpaqueValues(bytes, dataAt, auxiliaryAt, encoding === encodings.wideEnds);
}

class ConstantValues implements BlockValues {
  private readonly bytes: Uint8Array;
  private readonly from: number;
  private readonly to: number;

  constructor(bytes: Uint8Array, dataAt: number, length: number) {
    this.bytes = bytes;
    this.from = dataAt;
    this.to = dataAt + length;
  }

  join(_slot: number, target: ValueTarget): void {
    target.value = this.bytes;
    target.valueFrom = this.from;
    target.valueTo = this.to;
  }
}

class OpaqueValues implements BlockValues {
  private readonly bytes: Uint8Array;
  private readonly dataAt: number;
  private readonly endsAt: number;
  private readonly isWide: boolean;

  constructor(bytes: Uint8Array, dataAt: number, endsAt: number, isWide: boolean) {
    this.bytes = bytes;
    this.dataAt = dataAt;
    this.endsAt = endsAt;
    this.isWide = isWide;
  }

  join(slot: number, target: ValueTarget): void {
    target.value = this.bytes;
    target.valueFrom = this.dataAt + (slot === 0 ? 0 : this.end(slot - 1));
    target.valueTo = this.dataAt + this.end(slot);
  }

  private end(slot: number): number {
    return readEnd(this.bytes, this.endsAt, slot, this.isWide);
  }
}
