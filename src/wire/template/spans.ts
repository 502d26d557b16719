/** Positions of the strings and numbers of a JSON text, found by a walk over the text and its parsed value in parallel. */

import { invariant } from '#base';
import { isDigit, stringEnd } from '#value';

/** Offsets of a number, or of the characters between the quotes of a string. */
export interface TextSpan {
  readonly from: number;
  readonly to: number;
}

/** The spans of the members that are strings or numbers, by object or array of the parsed value. */
type Spans = Map<object, Map<string | number, TextSpan>>;

/** Returns the spans of `text`. `value` is its parsed value; spans are keyed by the identity of its objects. */
export function spansOf(text: string, value: unknown): Spans {
  return new SpanWalk(text).walk(value);
}

interface Level {
  readonly container: Readonly<Record<string | number, unknown>>;
  readonly isArray: boolean;
  /** Name or index of the current member. */
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
    // If a name is repeated, the value contains only the last member. Containers of earlier ones do not exist in the value, so their spans are discarded.
    const isKept = typeof container === 'object' && container !== null;
    const known = (isKept ? container : {}) as Level['container'];
    // Spans of an earlier member of the same name are obsolete.
    this.spans.delete(known);
    this.levels.push({ container: known, isArray, key: isArray ? 0 : '' });
  }

  /** Reads a string: starts at the opening quote and ends at the closing one. */
  private readString(): TextSpan {
    const from = this.at + 1;
    const to = stringEnd(this.text, this.at);
    invariant(to < this.text.length, 'a string in parsed text is terminated');
    this.at = to;
    return { from, to };
  }

  /** Reads a number: starts at its first character and ends at its last one. */
  private readNumber(): TextSpan {
    const from = this.at;
    while (/[-+.eE\d]/.test(this.text[this.at + 1] ?? '')) this.at++;
    return { from, to: this.at + 1 };
  }

  private name(level: Level, { from, to }: TextSpan): void {
    level.key = JSON.parse(this.text.slice(from - 1, to + 1)) as string;
    this.spans.get(level.container)?.delete(level.key);
  }

  private record({ container, key }: Level, span: TextSpan): void {
    const members = this.spans.get(container) ?? new Map<string | number, TextSpan>();
    members.set(key, span);
    this.spans.set(container, members);
  }
}
