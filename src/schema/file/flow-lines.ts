/**
 * Lines of a schema file that contain one mapping of plain words and numbers, the usual form of a column: `- { id: 1, name: email, type: text }`. The
 * YAML library needs more time for these lines than for the rest of the file. Their members are therefore extracted: the library parses
 * `- {                     }`, with all other characters at their offsets, and the members are added as nodes afterwards.
 */

import { Pair, Scalar, type YAMLMap } from 'yaml';

/** Text that YAML reads verbatim. */
const word = String.raw`[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+|\(\))?`;
const member = `[a-z_]+: (?:${word}|[0-9]{1,15})`;
const start = '- { ';
const line = new RegExp(String.raw`^- \{ (${member}(?:, ${member})*) \}\r?$`);
/** Words that YAML does not read as text. `true` and `false` are handled here; `null`, and other spellings of all three, are left to the library. */
const otherWord = /^(?:null|true|false)$/i;
/** Maximum length of an extracted line. Longer lines are left to the library, for which other limits apply. */
const lengthMax = 1_000;
/** Maximum indentation of an extracted line. */
const indentMax = 64;

interface Body {
  readonly offset: number;
  readonly text: string;
}

export class FlowLines {
  /** The text with blanks instead of the extracted members; its length is that of the file. */
  readonly text: string;
  /** The extracted members by the offset of the opening brace. */
  private readonly bodies: ReadonlyMap<number, Body>;
  private filled = 0;

  private constructor(text: string, bodies: ReadonlyMap<number, Body>) {
    this.text = text;
    this.bodies = bodies;
  }

  static none(text: string): FlowLines {
    return new FlowLines(text, new Map());
  }

  static in(text: string): FlowLines {
    const bodies = new Map<number, Body>();
    const kept: string[] = [];
    let from = 0;
    for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + start.length)) {
      const [, members] = line.exec(lineFrom(text, at)) ?? [];
      if (members === undefined) continue;
      const offset = at + start.length;
      bodies.set(at + start.indexOf('{'), { offset, text: members });
      kept.push(text.slice(from, offset), ' '.repeat(members.length));
      from = offset + members.length;
    }
    return new FlowLines(kept.length === 0 ? text : [...kept, text.slice(from)].join(''), bodies);
  }

  get isEmpty(): boolean {
    return this.bodies.size === 0;
  }

  /** True if every extracted mapping was filled. A matching line inside a multi-line string, for example, is not a mapping. */
  get isWhole(): boolean {
    return this.filled === this.bodies.size;
  }

  /** Adds the extracted members to the mapping. Returns false if the mapping is not one of an extracted line. */
  fill(map: YAMLMap.Parsed): boolean {
    const body = map.items.length > 0 ? undefined : this.bodies.get(map.range[0]);
    if (body === undefined) return false;
    let at = body.offset;
    const items: Pair[] = [];
    for (const text of body.text.split(', ')) {
      const colon = text.indexOf(':');
      const key = scalar(text.slice(0, colon), at);
      const value = scalar(text.slice(colon + 2), at + colon + 2);
      if (key === undefined || typeof key.value !== 'string' || value === undefined) return false;
      items.push(new Pair(key, value));
      at += text.length + 2;
    }
    (map.items as unknown[]).push(...items);
    this.filled++;
    return true;
  }
}

/** Returns the text from a dash to the end of its line; empty if other text precedes the dash, or if the line is too long or too deep. */
function lineFrom(text: string, at: number): string {
  let before = at - 1;
  while (before >= 0 && at - before <= indentMax && text[before] === ' ') before--;
  if (before >= 0 && text[before] !== '\n') return '';
  const found = text.indexOf('\n', at);
  const end = found < 0 ? text.length : found;
  return end - at > lengthMax ? '' : text.slice(at, end);
}

/** Returns a scalar node, `undefined` for a word that is left to the library. */
function scalar(source: string, offset: number): Scalar | undefined {
  const value = meaningOf(source);
  if (value === undefined) return undefined;
  const node = new Scalar(value);
  const end = offset + source.length;
  node.source = source;
  node.range = [offset, end, end];
  return node;
}

function meaningOf(source: string): string | bigint | boolean | undefined {
  if (source === 'true') return true;
  if (source === 'false') return false;
  if (otherWord.test(source)) return undefined;
  const first = source.charCodeAt(0);
  return first >= 0x30 && first <= 0x39 ? BigInt(source) : source;
}
