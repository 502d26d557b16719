/** The obviously right form of a multi-version store: an array of every version ever written. Shared by storage tests. */

import fc from 'fast-check';
import type { EntryCursor, KeyRange } from '../../src/storage/contract/store.ts';
import type { BlockSpan } from '../../src/storage/contract/stored-block.ts';

export interface Version {
  readonly key: Uint8Array;
  readonly sequence: number;
  /** Undefined is a deletion. */
  readonly value: Uint8Array | undefined;
}

export type Shown = readonly [key: string, value: string];

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

export function byKeyNewestFirst(left: Version, right: Version): number {
  return Buffer.compare(left.key, right.key) || right.sequence - left.sequence;
}

export class Model {
  readonly versions: Version[] = [];

  write(version: Version): void {
    this.versions.push(version);
  }

  get(key: Uint8Array, snapshot: number): string | undefined {
    const version = this.newest(snapshot).find((each) => Buffer.compare(each.key, key) === 0);
    return version?.value === undefined ? undefined : hex(version.value);
  }

  scan(range: KeyRange, direction: 'forward' | 'backward', snapshot: number): Shown[] {
    const shown = this.newest(snapshot)
      .filter((each) => isWithin(range, each.key))
      .flatMap((each): Shown[] =>
        each.value === undefined ? [] : [[hex(each.key), hex(each.value)]],
      );
    return direction === 'forward' ? shown : shown.reverse();
  }

  private newest(snapshot: number): Version[] {
    const visible = this.versions.filter((each) => each.sequence <= snapshot);
    visible.sort(byKeyNewestFirst);
    return visible.filter((each, i) => {
      const before = visible[i - 1];
      return before === undefined || Buffer.compare(before.key, each.key) !== 0;
    });
  }
}

export function isWithin(range: KeyRange, key: Uint8Array): boolean {
  if (Buffer.compare(key, range.from) < 0) return false;
  return range.to === undefined || Buffer.compare(key, range.to) < 0;
}

/** Reads a cursor to its end, waiting where it has to. */
export async function readAll(cursor: EntryCursor & { isTombstone?: boolean }): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (;;) {
    const next = cursor.next();
    if (next instanceof Promise) await next;
    else if (!next) break;
    else if (cursor.isTombstone !== true) shown.push(current(cursor));
  }
  cursor.close();
  return shown;
}

/** As `readAll`, in runs of up to `max` entries wherever there are some. */
export async function readInRuns(cursor: EntryCursor, max: number): Promise<Shown[]> {
  const shown: Shown[] = [];
  const body = { value: new Uint8Array(0), valueFrom: 0, valueTo: 0 };
  for (;;) {
    const next = cursor.next();
    if (next instanceof Promise) await next;
    else if (!next) break;
    else {
      const run = cursor.takeRun?.(max);
      if (run === undefined) shown.push(current(cursor));
      for (let slot = run?.from ?? 0; slot < (run?.to ?? 0); slot++) {
        const { block } = run as BlockSpan;
        const { bytes, prefixAt, prefixLength } = block;
        const prefix = hex(bytes.subarray(prefixAt, prefixAt + prefixLength));
        const suffix = hex(bytes.subarray(block.suffixFrom(slot), block.suffixTo(slot)));
        block.values.join(slot, body);
        shown.push([prefix + suffix, hex(body.value.subarray(body.valueFrom, body.valueTo))]);
      }
      const key = hex(cursor.key.subarray(cursor.keyFrom, cursor.keyTo));
      if (key !== shown.at(-1)?.[0]) throw new Error('the cursor stands on the last of a run');
    }
  }
  cursor.close();
  return shown;
}

export function current(cursor: EntryCursor): Shown {
  return [
    hex(cursor.key.subarray(cursor.keyFrom, cursor.keyTo)),
    hex(cursor.value.subarray(cursor.valueFrom, cursor.valueTo)),
  ];
}

/** Short keys over few letters, zero and 0xff among them: prefixes of each other, and often equal. */
export const anyKey = fc
  .array(fc.constantFrom(0, 1, 0x61, 0x62, 0xff), { minLength: 0, maxLength: 5 })
  .map((bytes) => Uint8Array.from(bytes));

export const anyValue = fc.uint8Array({ maxLength: 12 });

export const anyRange: fc.Arbitrary<KeyRange> = fc
  .tuple(anyKey, fc.option(anyKey, { nil: undefined }))
  .map(([from, to]) => ({ from, to }));

export const anyDirection = fc.constantFrom('forward' as const, 'backward' as const);

/** Writes with sequences 1, 2, 3, …; about a third are deletions. */
export function anyWrites(max: number): fc.Arbitrary<Version[]> {
  const write = fc.tuple(anyKey, fc.option(anyValue, { nil: undefined, freq: 2 }));
  return fc
    .array(write, { maxLength: max, size: 'max' })
    .map((writes) => writes.map(([key, value], i) => ({ key, value, sequence: i + 1 })));
}
