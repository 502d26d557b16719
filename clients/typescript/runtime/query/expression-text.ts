/** The text of expressions. */

import { BuildError } from '../client/build-error.ts';
import type { Rel } from './columns.ts';
import { and, call, literal } from './expression.ts';
import { jsonText, literalText, padded, paramText } from './literals.ts';
import type { Nodes } from './nodes.ts';
import { Ex, type ExTerm } from './parts.ts';
import { equalities } from './query.ts';
import { filterRel, rowsRel } from './rows.ts';

const listMax = 16;

export function expressionText(doc: Nodes, ex: unknown): string {
  if (!(ex instanceof Ex)) throw new BuildError('an expression is wanted');
  const { term } = ex;
  switch (term.kind) {
    case 'lit':
      doc.hasValue = true;
      return `{"kind":"lit","value":${literalText(ex.code, term.value, 'a literal')}}`;
    case 'param':
      doc.hasValue = true;
      return paramText(term);
    case 'col':
      // Scopes of all documents are called alike: the column would be that of other rows.
      if (term.owner !== doc.id) doc.stray ??= term.column;
      ex.text ??= `{"kind":"col","scope":"${term.scope}","column":${jsonText(term.column)}}`;
      return ex.text;
    case 'as':
      return doc.ex(term.of);
    case 'in':
      return inText(doc, term.of, term.values);
    case 'exists':
    case 'scalar':
      return nodeText(term.kind, doc.rel(term.rows));
    case 'fold':
      throw new BuildError('count, sum, avg, min and max stand in group and fold');
    default:
      return madeOfOthers(doc, term);
  }
}

type OverExpressions = Extract<
  ExTerm,
  { readonly kind: 'unary' | 'binary' | 'cast' | 'branch' | 'coalesce' | 'text_match' }
>;

function madeOfOthers(doc: Nodes, term: OverExpressions): string {
  switch (term.kind) {
    case 'unary':
      return `{"kind":"unary","op":"${term.op}","expr":${doc.ex(term.of)}}`;
    case 'binary':
      return `{"kind":"binary","op":"${term.op}","left":${doc.ex(term.left)},"right":${doc.ex(term.right)}}`;
    case 'cast':
      return `{"kind":"cast","expr":${doc.ex(term.of)},"to":"${term.to}"}`;
    case 'branch': {
      const arms = term.arms.map(
        ([when, then]) => `{"when":${doc.ex(when)},"then":${doc.ex(then)}}`,
      );
      return `{"kind":"branch","branches":[${arms.join()}],"else":${doc.ex(term.last)}}`;
    }
    case 'coalesce':
      return `{"kind":"coalesce","args":[${term.args.map((arg) => doc.ex(arg)).join()}]}`;
    case 'text_match': {
      doc.hasValue = true;
      const { of, pattern, isFolded } = term;
      if (pattern.length === 0) return doc.ex(call(of, 'eq', ''));
      const comparison = isFolded ? ',"comparison":"unicode_simple_fold"' : '';
      return `{"kind":"text_match","value":${doc.ex(of)},"parts":${jsonText(pattern)}${comparison}}`;
    }
  }
}

function nodeText(kind: string, { node }: Rel): string {
  return `{"kind":"${kind}","node":"${node}"}`;
}

/** FALSE for NULL, however many values there are. */
function inText(doc: Nodes, of: Ex, values: readonly Ex[]): string {
  if (values.length === 0) return doc.ex(literal('b', false));
  const all = padded(values);
  if (all.length > listMax) return existsText(doc, of, all);
  const found = all
    .map((one) => call(of, 'eq', one))
    .reduce((left, right) => call(left, 'or', right));
  return doc.ex(of.nullable ? and([call(of, 'isNotNull'), found]) : found);
}

/** Whether the list of the values has a row that equals. */
function existsText(doc: Nodes, of: Ex, values: readonly Ex[]): string {
  const columns = [{ name: 'v', code: of.code, nullable: false }];
  const list = rowsRel(doc, { columns, cells: values.map((cell) => [cell]) });
  const found = filterRel(doc, list, () => equalities(list.out.map(({ ex }) => [of, ex] as const)));
  return nodeText('exists', found);
}
