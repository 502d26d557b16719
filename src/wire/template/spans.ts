/** Where the strings and the numbers of a JSON text stand: a walk over the text beside the value that was parsed from it. */

import { invariant } from '#base';
import { isDigit, stringEnd } from '#value';

/** Offsets of the characters of a number, or between the quotes of a string. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** For an object or array of the parsed value: the spans of its members that are strings or numbers. */
type Spans = Map<object, Map<string | number, Span>>;

/** `value` is what `text` parses to, the very objects: spans are found by their identity. */
export function spansOf(text: string, value: unknown): Spans {
  return new SpanWalk(text).walk(value);
}

interface Level {
  readonly container: Readonly<Record<string | number, unknown>>;
  readonly isArray: boolean;
  /** Name or index of the member that is being read. */
  key: string | number;
}

class SpanWalk {
  private readonly text: string;
  private readonly spans: Spans = new Map();
  private readonly levels: Level[] = [];
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  walk(root: unknown): Spans {
    let isNameNext = false;
    for (; this.at < this.text.length; this.at++) {
      const character = this.text[this.at];
      const level = this.levels.at(-1);
      if (character === '{' || character === '[') {
        this.open(level === undefined ? root : level.container[level.key], character === '[');
        isNameNext = character === '{';
      } else if (character === '}' || character === ']') {
        this.levels.pop();
      } else if (character === ',' && level !== undefined) {
        if (level.isArray) (level.key as number)++;
        isNameNext = !level.isArray;
      } else if (character === '"') {
        const span = this.readString();
        if (isNameNext) this.name(level as Level, span);
        else if (level !== undefined) this.record(level, span);
        isNameNext = false;
      } else if (character === '-' || isDigit(this.text.charCodeAt(this.at))) {
        const span = this.readNumber();
        if (level !== undefined) this.record(level, span);
      }
    }
    return this.spans;
  }

  private open(container: unknown, isArray: boolean): void {
    // A repeated name: what the text opens here is not what the value holds, so it is read beside nothing.
    const isKept = typeof container === 'object' && container !== null;
    const known = (isKept ? container : {}) as Level['container'];
    // What an earlier member of the same name had in it does not count any more.
    this.spans.delete(known);
    this.levels.push({ container: known, isArray, key: isArray ? 0 : '' });
  }

  /** Stands on the opening quote; ends on the closing one. */
  private readString(): Span {
    const from = this.at + 1;
    const to = stringEnd(this.text, this.at);
    invariant(to < this.text.length, 'a string of parsed text ends');
    this.at = to;
    return { from, to };
  }

  /** Stands on its first character; ends on its last one. */
  private readNumber(): Span {
    const from = this.at;
    while (/[-+.eE\d]/.test(this.text[this.at + 1] ?? '')) this.at++;
    return { from, to: this.at + 1 };
  }

  private name(level: Level, { from, to }: Span): void {
    level.key = JSON.parse(this.text.slice(from - 1, to + 1)) as string;
    this.spans.get(level.container)?.delete(level.key);
  }

  private record({ container, key }: Level, span: Span): void {
    const members = this.spans.get(container) ?? new Map<string | number, Span>();
    members.set(key, span);
    this.spans.set(container, members);
  }
}
