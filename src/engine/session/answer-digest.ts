/** Digests of the answers of statements. Equal digests prove equal answers. */

import type { ProgramOutcome, ResultSink } from '#executor';
import { ByteString, type Datum, type OutputColumn, type Row } from '#value';

/** Text of rows that is collected before it is digested, in UTF-16 units. */
const pieceLength = 16 << 10;

export class AnswerDigest {
  /** Length of the digested text, as a measure of the work. */
  length = 0;
  private readonly hasher = new Bun.CryptoHasher('sha256');
  private piece = '';

  rows(rows: readonly Row[]): void {
    for (const row of rows) this.add(`${datumText(row)}\n`);
  }

  /** Adds the numbers of affected rows, and the rows that no sink has taken. Returns the digest. */
  end({ statements, result }: ProgramOutcome): string {
    this.rows(result?.rows ?? []);
    this.add(`;${statements.map(({ affected }) => affected).join()}`);
    this.hasher.update(this.piece);
    return this.hasher.digest('base64url');
  }

  private add(text: string): void {
    this.length += text.length;
    this.piece += text;
    if (this.piece.length < pieceLength) return;
    this.hasher.update(this.piece);
    this.piece = '';
  }
}

/** A sink that digests the rows before it passes them on. */
export function digesting(sink: ResultSink, digest: AnswerDigest): ResultSink {
  return {
    take(rows: readonly Row[], columns: readonly OutputColumn[]) {
      digest.rows(rows);
      return sink.take(rows, columns);
    },
  };
}

/** Returns a text that differs for different values of one type. No text is a prefix of another one. */
function datumText(datum: Datum): string {
  if (typeof datum === 'string') return `${datum.length}:${datum}`;
  if (datum instanceof ByteString) return `${datum.bytes.toHex()},`;
  if (Array.isArray(datum)) return `[${datum.map(datumText).join('')}]`;
  return Object.is(datum, -0) ? '-0,' : `${datum},`;
}
