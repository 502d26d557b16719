/** The text of a schema file, with lines and columns of its offsets. */

import { firstIndex } from '#base';

/** A range of the text in UTF-16 units: [from, to). */
export interface Spot {
  readonly from: number;
  readonly to: number;
}

/** A value with its position. */
export interface Spotted<Value> {
  readonly value: Value;
  readonly spot: Spot;
}

/** A line and column, both from 1. A column counts characters. */
interface Position {
  readonly line: number;
  readonly column: number;
}

export class SchemaSource {
  /** The file name in messages. */
  readonly name: string;
  readonly text: string;
  /** Start offsets of lines, found on demand: those of the requested lines and of all lines above them. */
  private readonly lineStarts: number[] = [0];
  /** The offset after the last line end found so far. */
  private seen = 0;
  /** The last counted position, from which the next count continues: a line can be very long and have many findings. */
  private counted = { line: -1, offset: 0, characters: 0 };

  constructor(name: string, text: string) {
    this.name = name;
    this.text = text;
  }

  positionOf(offset: number): Position {
    this.lookUntil(offset, Number.POSITIVE_INFINITY);
    const { lineStarts } = this;
    const isBehind = (line: number) => (lineStarts[line] as number) > offset;
    const line = firstIndex(1, lineStarts.length, isBehind) - 1;
    return { line: line + 1, column: this.charactersBefore(line, offset) + 1 };
  }

  /** Finds the starts of lines up to the line that contains `offset`, or up to `lines` lines. */
  private lookUntil(offset: number, lines: number): void {
    const { text, lineStarts } = this;
    while (this.seen <= offset && lineStarts.length < lines) {
      const end = text.indexOf('\n', this.seen);
      if (end < 0) {
        this.seen = Number.POSITIVE_INFINITY;
        return;
      }
      this.seen = end + 1;
      lineStarts.push(end + 1);
    }
  }

  private charactersBefore(line: number, offset: number): number {
    const isOnward = this.counted.line === line && this.counted.offset <= offset;
    const from = isOnward ? this.counted.offset : (this.lineStarts[line] as number);
    const characters =
      (isOnward ? this.counted.characters : 0) + charactersIn(this.text.slice(from, offset));
    this.counted = { line, offset, characters };
    return characters;
  }

  /** Returns the text of a line without its line end. */
  lineText(line: number): string {
    this.lookUntil(Number.POSITIVE_INFINITY, line + 1);
    const from = this.lineStarts[line - 1] as number;
    const to = this.lineStarts[line] ?? this.text.length + 1;
    return this.text.slice(from, to - 1).replace(/\r$/, '');
  }

  /** Returns the offset at which a line starts. */
  lineStart(line: number): number {
    this.lookUntil(Number.POSITIVE_INFINITY, line);
    return this.lineStarts[line - 1] as number;
  }
}

export function charactersIn(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
