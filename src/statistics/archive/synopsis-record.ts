/** The stored form of table statistics: the synopsis of a table as one record (docs/storage-format.md, Statistics records). */

import { keySpaces, prefixRange } from '#catalog';
import { ByteString, type IdentifierFormat, type Scalar } from '#value';
import type { Common } from '../sketch/most-common.ts';
import type {
  ColumnSynopsis,
  Coverage,
  GroupSynopsis,
  TableSynopsis,
} from '../synopsis/synopsis.ts';
import { count, list, Malformed, type Members, membersOf, number } from './members.ts';
import { jsonOf, recordOf, timeOf } from './record.ts';

/** Kinds of statistics records, which are never renumbered. */
const synopsisKind = 0x01;
const idFrom = 2;

/** Maximum size of a record. A larger synopsis is not stored, and is collected again after a restart. */
const recordBytesMax = 1 << 20;

export const synopsisRange = prefixRange(Uint8Array.of(keySpaces.statistics, synopsisKind));

export function synopsisKey(physicalId: number): Uint8Array {
  const key = Uint8Array.of(keySpaces.statistics, synopsisKind, 0, 0, 0, 0);
  new DataView(key.buffer).setUint32(idFrom, physicalId);
  return key;
}

/** Returns the physical id of the table; `undefined` if the key is not that of a synopsis. */
export function tableOfKey(key: Uint8Array): number | undefined {
  if (key.length !== idFrom + 4) return undefined;
  return new DataView(key.buffer, key.byteOffset, key.length).getUint32(idFrom);
}

/** Encodes a synopsis; `undefined` if it is too large to be stored. */
export function synopsisValue(synopsis: TableSynopsis): Uint8Array | undefined {
  const value = recordOf(synopsis.collectedAtUnixMs, JSON.stringify(synopsis, written));
  return value.length > recordBytesMax ? undefined : value;
}

/** Decodes a synopsis; `undefined` if the value is not a valid synopsis of that table, because wrong statistics are worse than none. */
export function readSynopsis(key: Uint8Array, value: Uint8Array): TableSynopsis | undefined {
  try {
    const synopsis = tableIn(jsonOf(value));
    const isOfKey = synopsis.physicalId === tableOfKey(key);
    return isOfKey && synopsis.collectedAtUnixMs === timeOf(value) ? synopsis : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the values that JSON cannot represent as objects: integers above 2^53, bytes and -0. */
function written(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return { int: String(value) };
  if (Object.is(value, -0)) return { float: '-0' };
  if (!(value instanceof ByteString)) return value;
  return { bytes: value.bytes.toBase64(), format: value.format };
}

function tableIn(found: unknown): TableSynopsis {
  const members = membersOf(found);
  const { coverage } = members;
  if (!['complete', 'sample', 'prefixLimit'].includes(coverage as string)) throw new Malformed();
  return {
    table: count(members['table']),
    physicalId: count(members['physicalId']),
    observedRows: count(members['observedRows']),
    tableRows: number(members['tableRows']),
    coverage: coverage as Coverage,
    collectedAtUnixMs: count(members['collectedAtUnixMs']),
    catalogVersion: count(members['catalogVersion']),
    columns: list(members['columns']).map(columnIn),
    groups: list(members['groups']).map(groupIn),
  };
}

function columnIn(found: unknown): ColumnSynopsis {
  const members = membersOf(found);
  return {
    ...countsIn(members),
    column: count(members['column']),
    physicalId: count(members['physicalId']),
    averageWidth: number(members['averageWidth']),
    minimum: members['minimum'] === undefined ? undefined : scalar(members['minimum']),
    maximum: members['maximum'] === undefined ? undefined : scalar(members['maximum']),
    mostCommon: list(members['mostCommon']).map((one) => commonIn(one, scalar)),
    bounds: list(members['bounds']).map(scalar),
  };
}

function groupIn(found: unknown): GroupSynopsis {
  const members = membersOf(found);
  const tuple = (value: unknown) => list(value).map(scalar);
  return {
    ...countsIn(members),
    columns: list(members['columns']).map(count),
    physicalIds: list(members['physicalIds']).map(count),
    mostCommon: list(members['mostCommon']).map((one) => commonIn(one, tuple)),
  };
}

function countsIn(members: Members) {
  const { distinctIsExact } = members;
  if (typeof distinctIsExact !== 'boolean') throw new Malformed();
  return {
    nulls: count(members['nulls']),
    distinct: number(members['distinct']),
    distinctIsExact,
    distinctInTable: number(members['distinctInTable']),
  };
}

function commonIn<Value>(found: unknown, read: (value: unknown) => Value): Common<Value> {
  const { value, frequency, maximumError } = membersOf(found);
  return { value: read(value), frequency: count(frequency), maximumError: count(maximumError) };
}

function scalar(found: unknown): Scalar {
  if (found === null || typeof found === 'string' || typeof found === 'boolean') return found;
  if (typeof found === 'number') return found;
  const { int, float, bytes, format: identifier } = membersOf(found);
  if (typeof int === 'string') return BigInt(int);
  if (float === '-0') return -0;
  if (typeof bytes !== 'string') throw new Malformed();
  return new ByteString(Uint8Array.fromBase64(bytes), identifier as IdentifierFormat | undefined);
}
