/**
 * Encodes large results as JSON text in steps, so that other work can run between two steps and the caller can stop. A step writes little
 * more than 64 KiB, however deep the data nest. An array that occurs in several rows is encoded once.
 */

import type { Datum, Row } from '../datum.ts';
import type { OutputColumn } from '../types.ts';
import {
  type DatumEncoder,
  datumEncoderOf,
  knownRowsEncoder,
  type ResultShape,
  remembered,
} from './encode.ts';
import type { PieceWriter } from './piece-writer.ts';
import { rowsWriterOf } from './rows-writer.ts';
import { rowWeigherOf, type Weigher, weighRows } from './weigh.ts';

/** Characters written in one step. */
const stepWeight = 64 * 1024;
/**
 * A result up to this size is encoded in one step: pieces and their assembly would take a third longer. Even if every character is escaped,
 * its text is below 1 MiB.
 */
const lightWeight = 160 * 1024;
const stepRows = 1024;
/** Maximum average weight of a member of a row for JsonBytes. JSON.stringify encodes longer texts faster. */
const memberWeightMax = 36;
/** Minimum weight of an array that is searched among those encoded before. */
const sharedWeight = 4096;

const knownWeigher = remembered(rowWeigherOf);
const knownRowsWriter = remembered(rowsWriterOf);

/** Returns whether a result is so small that it is best encoded in one step. */
export function isLightResult(columns: readonly OutputColumn[], rows: readonly Row[]): boolean {
  return weighRows(knownWeigher(columns), rows, lightWeight) <= lightWeight;
}

/** Encodes a result and yields between two steps. The caller must flush the writer at the end. */
export function* encodeInPieces(
  { columns, rows, shape }: ShapedResult,
  writer: PieceWriter,
): Generator<undefined> {
  const encoding = new Encoding(writer);
  if (shape === 'many') return yield* encoding.array(columns, rows);
  const [row] = rows;
  const [only] = columns;
  if (row === undefined || only === undefined) writer.write('null');
  else if (shape === 'scalar') yield* encoding.datum(only, row[0] as Datum);
  else yield* encoding.row(columns, row);
}

interface ShapedResult {
  readonly columns: readonly OutputColumn[];
  readonly rows: readonly Row[];
  readonly shape: ResultShape;
}

class Encoding {
  private readonly writer: PieceWriter;
  private readonly written = new Map<Datum, readonly Uint8Array[]>();

  constructor(writer: PieceWriter) {
    this.writer = writer;
  }

  *array(columns: readonly OutputColumn[], rows: readonly Row[]): Generator<undefined> {
    const { writer } = this;
    const encode = knownRowsEncoder(columns, rows.length);
    let writeRows = knownRowsWriter(columns);
    const weigh = knownWeigher(columns);
    writer.write('[');
    for (let from = 0; from < rows.length; ) {
      if (from > 0) writer.write(',');
      const { to, weight } = nextStep(rows, from, weigh);
      if (to === from) {
        yield* this.row(columns, rows[from] as Row);
      } else if (
        writeRows !== undefined &&
        weight <= memberWeightMax * columns.length * (to - from)
      ) {
        const { escapes } = writer.open;
        writeRows(writer.open, rows, from, to);
        writer.cut();
        if (writer.open.escapes - escapes > (to - from) / 2) writeRows = undefined;
      } else {
        writer.write(encode(rows, from, to));
      }
      from = Math.max(to, from + 1);
      yield;
    }
    writer.write(']');
  }

  /** Encodes a row that is too heavy for one step. */
  *row(columns: readonly OutputColumn[], row: Row): Generator<undefined> {
    const { writer } = this;
    for (let c = 0; c < columns.length; c++) {
      const column = columns[c] as OutputColumn;
      writer.write(`${c === 0 ? '{' : ','}${JSON.stringify(column.name)}:`);
      yield* this.datum(column, row[c] as Datum);
    }
    writer.write(columns.length === 0 ? '{}' : '}');
  }

  *datum({ type }: OutputColumn, datum: Datum): Generator<undefined> {
    if (datum !== null && type.kind === 'row') {
      yield* this.row(type.columns, datum as Row);
    } else if (datum !== null && type.kind === 'array') {
      yield* this.nested(type.columns, datum as readonly Row[]);
    } else {
      this.writer.write(knownDatumEncoder(type)(datum));
      yield;
    }
  }

  private *nested(columns: readonly OutputColumn[], rows: readonly Row[]): Generator<undefined> {
    const { writer } = this;
    const known = this.written.get(rows);
    if (known !== undefined) {
      writer.repeat(known);
      yield;
      return;
    }
    if (weighRows(knownWeigher(columns), rows, sharedWeight) <= sharedWeight) {
      return yield* this.array(columns, rows);
    }
    writer.flush();
    const first = writer.pieces.length;
    yield* this.array(columns, rows);
    writer.flush();
    this.written.set(rows, writer.pieces.slice(first));
  }
}

/** Returns the end of the rows to write in one step, and their weight. The end is `from` if the first row is too heavy for one step. */
function nextStep(rows: readonly Row[], from: number, weigh: Weigher) {
  const last = Math.min(rows.length, from + stepRows);
  let weight = 0;
  let to = from;
  while (to < last) {
    const more = weigh(rows[to] as Row, stepWeight - weight);
    if (weight + more > stepWeight) break;
    weight += more;
    to++;
  }
  return { to, weight };
}

const datumEncoders = new WeakMap<object, DatumEncoder>();

function knownDatumEncoder(type: OutputColumn['type']): DatumEncoder {
  let encoder = datumEncoders.get(type);
  if (encoder === undefined) {
    encoder = datumEncoderOf(type);
    datumEncoders.set(type, encoder);
  }
  return encoder;
}
