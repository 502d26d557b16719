/**
 * The prepared-statement template of a program: its body without the texts of literals and cells. A matching body differs from the checked body
 * only in those texts, which are parsed by the rules of their literals. If one of them is invalid, the body takes the full path of parsing and
 * checking, which reports the error.
 */

import { invariant } from '#base';
import type { Literal, RowsNode, SliceNode, TextPart } from '#lir';
import {
  cellParserOf,
  type Datum,
  isInt64Text,
  parseFloat64,
  parseInt64,
  parseLiteral,
  type Row,
  type Scalar,
  type ScalarType,
  TextRows,
} from '#value';
import { FilledText } from './filled-text.ts';
import { spansOf, type TextSpan } from './spans.ts';
import { type Gap, gapEnd, TextTemplate } from './text-template.ts';

/** The source of a parameter of the program. Its objects are those of the checked document. */
type TemplateSource =
  | { readonly kind: 'literal'; readonly literal: Literal; readonly type: ScalarType }
  | { readonly kind: 'rows'; readonly node: RowsNode }
  | {
      readonly kind: 'count';
      readonly node: SliceNode;
      readonly member: 'offset' | 'limit';
      readonly from: number;
      readonly to: number;
    }
  | { readonly kind: 'text_part'; readonly part: TextPart };

type TemplateParameter = Datum | readonly Row[];

/** Parses the text of a gap into its parameter. Returns false if the text is invalid for it. */
type Fill = (text: string, parameters: TemplateParameter[]) => boolean;

/** The position of a string or number in the document: member `key` of the object or array `of`. */
interface Place {
  readonly of: object;
  readonly key: string | number;
  readonly fill: Fill;
}

interface FilledGap extends Gap, Place {}

/** The input from which a template is built. */
interface TemplateOrigin {
  readonly body: string;
  /** The parsed `body`. */
  readonly document: unknown;
  /** `sources[i]` is the position of `parameters[i]` in the document. */
  readonly sources: readonly (TemplateSource | undefined)[];
  readonly parameters: readonly TemplateParameter[];
  /** Another text of the same document. `shownText` returns this form for each matching body. */
  readonly shown?: string;
}

export class ProgramTemplate {
  readonly text: TextTemplate;
  private readonly fills: readonly Fill[];
  private readonly parameters: readonly TemplateParameter[];
  /** Indexes of the parameters that are rows. They are filled cell by cell, so each match gets a copy. */
  private readonly rowParameters: readonly number[];
  /** The other text of the document; `undefined` if that is the body itself. */
  private readonly shown: FilledText | undefined;

  constructor({ body, document, sources, parameters, shown = body }: TemplateOrigin) {
    const spans = spansOf(body, document);
    const found = sources.flatMap((source, index) => {
      if (source === undefined) return [];
      if (source.kind === 'rows') return cellGaps(source.node, index, spans);
      const gap = gapAt(spans, placeOf(source, index));
      return source.kind === 'count' ? gap.flatMap((span) => countGap(body, span)) : gap;
    });
    const gaps = merged(found.sort((a, b) => a.from - b.from));
    this.text = new TextTemplate(body, gaps);
    this.fills = gaps.map(({ fill }) => fill);
    this.shown = shown === body ? undefined : new FilledText(shown, spansIn(shown, document, gaps));
    this.parameters = parameters;
    this.rowParameters = sources.flatMap((source, i) => (source?.kind === 'rows' ? [i] : []));
  }

  /** Returns the parameters of a matching body from the texts of its gaps, `undefined` if the body must take the full path. */
  read(texts: readonly string[]): readonly TemplateParameter[] | undefined {
    const parameters = this.parameters.slice();
    for (const index of this.rowParameters) {
      parameters[index] = (parameters[index] as readonly Row[]).map((row) => row.slice());
    }
    for (let i = 0; i < texts.length; i++) {
      if (!(this.fills[i] as Fill)(texts[i] as string, parameters)) return undefined;
    }
    return parameters;
  }

  /** Returns the other text of the document of `body`. `texts` are the texts of the gaps of `body`. */
  shownText(body: string, texts: readonly string[]): string {
    return this.shown === undefined ? body : this.shown.with(texts);
  }
}

type Spans = ReturnType<typeof spansOf>;

function gapAt(spans: Spans, place: Place): FilledGap[] {
  const span = spans.get(place.of)?.get(place.key);
  return span === undefined ? [] : [{ ...place, ...span, kind: 'text' }];
}

/** Returns the gap of a count. A number in another notation, such as 1e3, has no gap. */
function countGap(body: string, gap: FilledGap): FilledGap[] {
  const isCount = gapEnd('count', body, gap.from) === gap.to;
  return isCount ? [{ ...gap, kind: 'count' }] : [];
}

function placeOf(source: Exclude<TemplateSource, { kind: 'rows' }>, index: number): Place {
  switch (source.kind) {
    case 'literal':
      return { of: source.literal, key: 'value', fill: literalFill(source, index) };
    case 'count':
      return { of: source.node, key: source.member, fill: countFill(source, index) };
    case 'text_part':
      return { of: source.part, key: 'value', fill: textPartFill(index) };
  }
}

/** Returns the positions of the gaps in another text of the document. */
function spansIn(text: string, document: unknown, gaps: readonly FilledGap[]): readonly TextSpan[] {
  const spans = spansOf(text, document);
  return gaps.map(({ of, key }) => spans.get(of)?.get(key) as TextSpan);
}

/** Merges gaps at the same position: one literal may be the source of several parameters. */
function merged(gaps: readonly FilledGap[]): readonly FilledGap[] {
  const result: FilledGap[] = [];
  for (const gap of gaps) {
    const previous = result.at(-1);
    if (previous === undefined || previous.from !== gap.from) {
      result.push(gap);
      continue;
    }
    const fill: Fill = (text, into) => previous.fill(text, into) && gap.fill(text, into);
    result[result.length - 1] = { ...previous, fill };
  }
  return result;
}

function cellGaps(node: RowsNode, index: number, spans: Spans): FilledGap[] {
  const parsers = node.columns.map((column) => cellParserOf(column.type));
  const { rows } = node;
  invariant(!(rows instanceof TextRows), 'a body with unparsed rows is too long for a template');
  return rows.flatMap((cells, row) =>
    cells.flatMap((_, column) => {
      const parse = parsers[column] as (text: string) => Scalar | undefined;
      const fill: Fill = (text, parameters) => {
        const value = parse(text);
        if (value === undefined) return false;
        ((parameters[index] as Row[])[row] as Datum[])[column] = value;
        return true;
      };
      return gapAt(spans, { of: cells, key: column, fill });
    }),
  );
}

function countFill({ from, to }: Extract<TemplateSource, { kind: 'count' }>, index: number): Fill {
  return (text, parameters) => {
    const count = Number(text);
    parameters[index] = count;
    return count >= from && count <= to;
  };
}

function textPartFill(index: number): Fill {
  return (text, parameters) => {
    parameters[index] = text;
    return text !== '';
  };
}

function literalFill(source: Extract<TemplateSource, { kind: 'literal' }>, index: number): Fill {
  const read = literalReader(source.literal.type, source.type);
  return (text, parameters) => {
    const value = read(text);
    if (value === undefined) return false;
    parameters[index] = value;
    return true;
  };
}

/** Returns a parser for the text of a literal of type `own` that the program uses as type `wanted`. */
function literalReader(own: ScalarType, wanted: ScalarType): (text: string) => Scalar | undefined {
  if (own === 'int64' || own === 'float64') {
    const parse = wanted === 'int64' ? parseInt64 : parseFloat64;
    if (own === 'float64') return parse;
    return (text) => (isInt64Text(text) ? parse(text) : undefined);
  }
  return (text) => {
    const parsed = parseLiteral(own, text);
    return parsed.kind === 'value' ? parsed.value : undefined;
  };
}
