/**
 * Programs that were planned before, found again by their text: a body that differs from an earlier one only in literals and cells is not parsed,
 * checked, bound or planned again. A cache may forget anything at any time; the full path gives the same answer.
 */

import { isWorthKeeping, type PreparedProgram } from '#engine';
import { ProgramTemplate, TemplateTrie } from '#wire';
import type { EdgeCounters } from './edge/counters.ts';
import { retainedSize } from './retained-size.ts';

interface Entry {
  readonly grammar: Grammar;
  readonly template: ProgramTemplate;
  readonly program: PreparedProgram;
  /** Its answers may be worth keeping. */
  readonly isShared: boolean;
  /** Of the template and the plan, which is much larger than its text. */
  readonly bytes: number;
  /** When it was last found, or else added, as a count of both. */
  usedAt: number;
}

/** How a body is meant: a program and a query are different grammars. */
type Grammar = 'program' | 'query';

/** What is to be found again. */
interface Planned {
  readonly body: string;
  /** What `body` parsed to, and what `program` was planned from. */
  readonly document: unknown;
  readonly program: PreparedProgram;
  /** The same document in another text, which a hit is to have (`shown`). */
  readonly shown?: string;
}

interface PreparedHit {
  readonly program: PreparedProgram;
  readonly parameters: ReturnType<ProgramTemplate['read']> & {};
  /** The other text of the document; the body itself where none was given. */
  readonly shown: string;
  /** Answers of it may be worth keeping, and sharing. */
  readonly isShared: boolean;
  /** Drops the entry: its plan no longer holds. */
  forget(): void;
}

const bodyLengthMax = 48 * 1024;
/** Longer bodies with more gaps than this are bulk data: their time goes into the data, and they hardly come again. */
const shortLength = 16 * 1024;
const gapsMax = 1024;
/** Of all entries together. */
export const preparedBytesMax = 32 << 20;
/** Of the entries of one text, the gaps aside: they are tried one after the other. */
const perTextMax = 16;
const perTextBytesMax = preparedBytesMax / 4;
/** For each gap of a template: its part of the tree. */
const gapBytes = 512;

/** What plans and their catalog share. */
const shared: ReadonlySet<string> = new Set(['catalog', 'catalogAfter', 'table', 'index']);

export class PreparedPrograms {
  private readonly tries: Readonly<Record<Grammar, TemplateTrie<Entry>>> = {
    program: new TemplateTrie(),
    query: new TemplateTrie(),
  };
  private readonly entries = new Set<Entry>();
  private readonly counters: EdgeCounters;
  private uses = 0;

  constructor(counters: EdgeCounters) {
    this.counters = counters;
  }

  find(grammar: Grammar, body: string): PreparedHit | undefined {
    const trie = this.tries[grammar];
    const found = body.length > bodyLengthMax ? undefined : trie.find(body, read);
    if (found === undefined) {
      this.counters.templateMisses++;
      return undefined;
    }
    const { entry, parameters, texts } = found;
    this.counters.templateHits++;
    entry.usedAt = ++this.uses;
    const shown = entry.template.shownText(body, texts);
    const { program, isShared } = entry;
    return { program, parameters, shown, isShared, forget: () => this.forget(entry) };
  }

  add(grammar: Grammar, planned: Planned): void {
    const { body, program } = planned;
    if (body.length > bodyLengthMax || isBulk(planned)) return;
    const trie = this.tries[grammar];
    // Another request may have planned the same meanwhile.
    const known = trie.find(body, read);
    if (known !== undefined) this.forget(known.entry);
    const template = new ProgramTemplate({ ...planned, ...program });
    const { segments } = template.text;
    const bytes = retainedSize([template, program], shared) + segments.length * gapBytes;
    if (bytes > perTextBytesMax) return;
    const isShared = isWorthKeeping(program);
    const added = { grammar, template, program, isShared, bytes, usedAt: ++this.uses };
    this.entries.add(added);
    this.counters.templates++;
    this.counters.templateBytes += bytes;
    let ofText = trie.add(template.text, added);
    while (isTooMuch(ofText)) {
      const oldest = oldestOf(ofText);
      ofText = ofText.filter((entry) => entry !== oldest);
      this.evict(oldest);
    }
    while (this.counters.templateBytes > preparedBytesMax) this.evict(oldestOf(this.entries));
  }

  private evict(entry: Entry): void {
    this.forget(entry);
    this.counters.templateEvictions++;
  }

  private forget(entry: Entry): void {
    if (!this.entries.delete(entry)) return;
    this.tries[entry.grammar].remove(entry.template.text, entry);
    this.counters.templates--;
    this.counters.templateBytes -= entry.bytes;
  }
}

function isBulk({ body, program }: Planned): boolean {
  if (body.length <= shortLength) return false;
  let gaps = 0;
  for (const source of program.sources) {
    gaps += source?.kind === 'rows' ? source.node.rows.length * source.node.columns.length : 1;
  }
  return gaps > gapsMax;
}

function isTooMuch(ofText: readonly Entry[]): boolean {
  if (ofText.length > perTextMax) return true;
  return ofText.reduce((sum, { bytes }) => sum + bytes, 0) > perTextBytesMax;
}

/** Of entries, of which there is one at least: a look at all of them is little beside the planning of one. */
function oldestOf(entries: Iterable<Entry>): Entry {
  let oldest: Entry | undefined;
  for (const entry of entries) {
    if (oldest === undefined || entry.usedAt < oldest.usedAt) oldest = entry;
  }
  return oldest as Entry;
}

function read(entry: Entry, gaps: readonly string[]) {
  const parameters = entry.template.read(gaps);
  return parameters === undefined ? undefined : { entry, parameters, texts: gaps };
}
