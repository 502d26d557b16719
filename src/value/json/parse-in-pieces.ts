/**
 * Parses long JSON texts in pieces, so that other work can run in between. An array or object that is longer than a piece is assembled from
 * runs of its elements. Each run is passed to JSON.parse in its own brackets, which checks it and is as fast as parsing the whole text.
 */

import type { Steps, YieldPolicy } from '#base';
import { isDenseAt } from './depth.ts';
import { LongString } from './long-string.ts';
import type { ParsedJson } from './parsed-json.ts';
import { blankEnd, isBlank, setMember, stringEnd } from './scan.ts';
import { TextRowsReader } from './text-rows.ts';

const pieceLengthDefault = 32 * 1024;
/** Characters scanned in one step. */
const stretchLength = 128 * 1024;

/** Start of a run after a large element: a comma has to come first. */
const noRun = -(2 ** 30);

/** Maximum number of arrays that are read as rows without success, since these are read twice. Later arrays are read like any other. */
const othersMax = 64;

/** Offsets of the first and the last character of an element. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

type Holder = unknown[] | Record<string, unknown>;

interface PieceOptions {
  /** Maximum nesting of arrays and objects. */
  readonly depthMax: number;
  /** Parses a run within its brackets. */
  readonly parse: (text: string) => ParsedJson;
  /** Maximum length of a run in characters. Only a member name may be longer. */
  readonly pieceLength?: number;
  /**
   * Depth, in arrays and objects, of the objects whose members named `rows` remain text if they are rows of strings and longer than a
   * piece.
   */
  readonly rowsDepth?: number;
}

/** Parses `text` like `options.parse`, but yields as `pace` requires. If there are several errors, the first one is reported. */
export function* parseInPieces(
  text: string,
  options: PieceOptions,
  pace: YieldPolicy,
): Steps<ParsedJson> {
  const parsing = new Parsing(text, options);
  try {
    while (parsing.at < text.length) {
      const wait = pace.pause(Number.POSITIVE_INFINITY);
      if (wait !== undefined) yield wait;
      parsing.goOn();
    }
    return { kind: 'parsed', value: parsing.end() };
  } catch (error) {
    if (error instanceof Malformed) return { kind: 'malformed', detail: error.message };
    throw error;
  }
}

class Malformed extends Error {}

class Parsing {
  at = 0;
  private readonly text: string;
  private readonly options: PieceOptions;
  private readonly pieceLength: number;
  private depth = 0;
  private opened = 0;
  /** For each open array or object: its bracket, the start of its unparsed elements, and the start of its last element. */
  private readonly brackets: Int32Array;
  private readonly runs: Int32Array;
  private readonly elements: Int32Array;
  /** The parsed part of each open array or object that is longer than a piece. */
  private readonly holders: (Holder | undefined)[] = [];
  /** The long string that is being read, and its value so far. */
  private long: { readonly string: LongString; value: string } | undefined;
  /** The rows that are being read, and the start of the last array that turned out not to be rows. */
  private rows: TextRowsReader | undefined;
  private otherAt = -1;
  private others = 0;
  private isWellFormed: boolean | undefined;
  private root: { readonly value: unknown; readonly end: number } | undefined;

  constructor(text: string, options: PieceOptions) {
    const levels = options.depthMax + 1;
    this.text = text;
    this.options = options;
    this.pieceLength = options.pieceLength ?? pieceLengthDefault;
    this.brackets = new Int32Array(levels);
    this.runs = new Int32Array(levels);
    this.elements = new Int32Array(levels);
  }

  goOn(): void {
    if (this.long !== undefined) this.readOn(this.long);
    else if (this.rows !== undefined) this.readRows(this.rows);
    else this.lookOver();
  }

  /**
   * Scans the next `stretchLength` characters. Stops early after a run, or before a string or rows, that are long enough to be parsed separately.
   */
  private lookOver(): void {
    const { text, runs, elements, brackets, pieceLength } = this;
    const { rowsDepth } = this.options;
    const stop = Math.min(text.length, this.at + stretchLength);
    let { at, depth } = this;
    for (let isParsed = false; at < stop && !isParsed; at++) {
      const unit = text.charCodeAt(at);
      if (unit === 0x22) {
        const end = stringEnd(text, at);
        if (depth > 0 && end - at > pieceLength && this.isValue(end)) {
          this.long = { string: new LongString(text, at, end, pieceLength), value: '' };
          break;
        }
        at = end;
      } else if (unit === 0x2c) {
        isParsed = at - (runs[depth] as number) >= pieceLength;
        if (isParsed) this.cut(depth, at);
        elements[depth] = at + 1;
      } else if ((unit | 0x20) === 0x7b) {
        if (depth === rowsDepth && unit === 0x5b && this.areRows(depth, at)) {
          this.rows = new TextRowsReader(text, at);
          break;
        }
        this.open(++depth);
        brackets[depth] = at;
        runs[depth] = at + 1;
        elements[depth] = at + 1;
      } else if ((unit | 0x20) === 0x7d) {
        if (depth === 0) throw this.unexpected(at);
        isParsed = at - (brackets[depth] as number) >= pieceLength;
        if (isParsed) this.close(depth, at);
        depth--;
      }
    }
    this.at = at;
    this.depth = depth;
  }

  /** Reads one part of a long string. Adds the string to its parent once it is complete. */
  private readOn(long: NonNullable<Parsing['long']>): void {
    const { string } = long;
    const next = string.next();
    if (next !== undefined) {
      long.value += this.parse(next.part, next.from) as string;
      return;
    }
    this.place(this.depth, long.value, string);
    this.at = string.to + 1;
    this.long = undefined;
  }

  /** Returns whether the array at `at` is the value of a member `rows`, may nest that deep, and was not read as rows before. */
  private areRows(depth: number, at: number): boolean {
    if (at === this.otherAt || this.others >= othersMax) return false;
    if (depth + 2 > this.options.depthMax) return false;
    if (!rowsName.test(this.text.slice(this.elements[depth], at))) return false;
    this.isWellFormed ??= this.text.isWellFormed();
    return this.isWellFormed;
  }

  /** Reads the next part of the rows. Adds the rows to their parent once they are complete. */
  private readRows(reader: TextRowsReader): void {
    const { depth } = this;
    const rows = reader.next();
    if (rows === undefined) return;
    this.rows = undefined;
    // Shorter rows become part of a run, and so do arrays that are not rows of strings.
    if (rows === null || reader.to - reader.from < this.pieceLength) {
      this.otherAt = reader.from;
      this.others++;
      return;
    }
    this.opened += 1 + rows.length;
    this.place(depth, rows, reader);
    this.at = reader.to + 1;
  }

  /**
   * Returns whether a string that ends at `end` is a value rather than a member name. An unterminated string, or any string of a text with
   * lone surrogates, is left to the parser.
   */
  private isValue(end: number): boolean {
    const { text } = this;
    const at = blankEnd(text, end + 1);
    if (at >= text.length || text.charCodeAt(at) === 0x3a) return false;
    this.isWellFormed ??= text.isWellFormed();
    return this.isWellFormed;
  }

  end(): unknown {
    const { text, root } = this;
    if (this.depth > 0) throw new Malformed('JSON Parse error: Unexpected EOF');
    if (root === undefined) return this.parse(text, 0);
    this.requireBlank(root.end, text.length);
    return root.value;
  }

  private open(depth: number): void {
    const { depthMax } = this.options;
    if (depth > depthMax) throw new Malformed(`the document nests deeper than ${depthMax} levels`);
    if (isDenseAt(++this.opened, this.text.length)) {
      throw new Malformed('the document has too many empty arrays or objects');
    }
  }

  /** Ends a run at a comma. */
  private cut(depth: number, at: number): void {
    if (depth === 0) throw this.unexpected(at);
    if (this.runs[depth] === noRun) this.requireBlank(this.elements[depth] as number, at);
    else this.takeSome(depth, at);
    this.runs[depth] = at + 1;
  }

  /** Ends an array or object that is longer than a piece. */
  private close(depth: number, at: number): void {
    if ((this.text.charCodeAt(at) === 0x5d) !== this.isArray(depth)) throw this.unexpected(at);
    if (this.runs[depth] === noRun) this.requireBlank(this.elements[depth] as number, at);
    else if (this.holders[depth] === undefined) this.take(depth, at);
    else this.takeSome(depth, at);
    const value = this.holders[depth];
    this.holders[depth] = undefined;
    const from = this.brackets[depth] as number;
    if (depth > 1) this.place(depth - 1, value, { from, to: at });
    else this.placeRoot(value, at);
  }

  private placeRoot(value: unknown, to: number): void {
    const from = this.brackets[1] as number;
    if (this.root !== undefined) throw this.unexpected(from);
    this.requireBlank(0, from);
    this.root = { value, end: to + 1 };
  }

  /** Appends an element that is longer than a piece, after the preceding elements. */
  private place(depth: number, value: unknown, { from, to }: Stretch): void {
    const element = this.elements[depth] as number;
    if (this.runs[depth] === noRun) throw this.unexpected(from);
    if (element > (this.runs[depth] as number)) this.takeSome(depth, element - 1);
    // A member name and a colon may precede the element. With a number in its place, they form an object of one member.
    const head = this.parse(this.bracketed(depth, `${this.text.slice(element, from)} 0`), element);
    const [name] = Object.keys(head as Holder) as [string];
    this.append(depth, Array.isArray(head) ? [value] : named(name, value));
    this.runs[depth] = noRun;
    this.elements[depth] = to + 1;
  }

  /** Parses the run that ends before `to`, which must have at least one element. */
  private takeSome(depth: number, to: number): void {
    if (this.take(depth, to) === 0) throw this.unexpected(to);
  }

  /** Parses the elements of the run that ends before `to`. Returns 0 if there are none, and 1 otherwise. */
  private take(depth: number, to: number): number {
    const from = this.runs[depth] as number;
    const run = this.parse(this.bracketed(depth, this.text.slice(from, to)), from) as Holder;
    const isEmpty = Array.isArray(run) ? run.length === 0 : Object.keys(run).length === 0;
    this.append(depth, run);
    return isEmpty ? 0 : 1;
  }

  private append(depth: number, run: Holder): void {
    const holder = this.holders[depth];
    if (holder === undefined) {
      this.holders[depth] = run;
    } else if (Array.isArray(holder)) {
      for (const item of run as unknown[]) holder.push(item);
    } else {
      const members = run as Record<string, unknown>;
      for (const name of Object.keys(members)) setMember(holder, name, members[name]);
    }
  }

  private isArray(depth: number): boolean {
    return this.text.charCodeAt(this.brackets[depth] as number) === 0x5b;
  }

  private bracketed(depth: number, elements: string): string {
    return this.isArray(depth) ? `[${elements}]` : `{${elements}}`;
  }

  private parse(piece: string, from: number): unknown {
    const parsed = this.options.parse(piece);
    if (parsed.kind === 'parsed') return parsed.value;
    throw new Malformed(from === 0 ? parsed.detail : `${parsed.detail}, after character ${from}`);
  }

  private requireBlank(from: number, to: number): void {
    for (let at = from; at < to; at++) {
      if (!isBlank(this.text.charCodeAt(at))) throw this.unexpected(at);
    }
  }

  private unexpected(at: number): Malformed {
    const found = JSON.stringify(this.text.slice(at, at + 1));
    return new Malformed(`JSON Parse error: Unexpected ${found} at character ${at}`);
  }
}

const rowsName = /^[ \n\r\t]*"rows"[ \n\r\t]*:[ \n\r\t]*$/;

function named(name: string, value: unknown): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  setMember(members, name, value);
  return members;
}
