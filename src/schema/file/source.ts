/** The text of a schema file, and where in it something stands. */

import { firstIndex } from '#base';

/** A stretch of the text in UTF-16 units: [from, to). */
export interface Spot {
  readonly from: number;
  readonly to: number;
}

/** A value with its place. */
export interface Spotted<Value> {
  readonly value: Value;
  readonly spot: Spot;
}

/** Both count from 1; columns count characters. */
interface Position {
  readonly line: number;
  readonly column: number;
}

export class Source {
  /** As it is shown in messages. */
  readonly name: string;
  readonly text: string;
  /** Of the lines that somebody has asked about, and of those above them. */
  private readonly lineStarts: number[] = [0];
  /** Behind the last line end that was looked for. */
  private seen = 0;
  /** Where the last position was counted: a line may be very long, and have many findings. */
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

  /** Finds the starts of lines up to the one that `offset` stands in, or until `lines` are known. */
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

  /** The text of a line without its end. */
  lineText(line: number): string {
    this.lookUntil(Number.POSITIVE_INFINITY, line + 1);
    const from = this.lineStarts[line - 1] as number;
    const to = this.lineStarts[line] ?? this.text.length + 1;
    return this.text.slice(from, to - 1).replace(/\r$/, '');
  }

  /** Where a line starts. */
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
