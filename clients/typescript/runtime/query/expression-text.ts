/** The text of expressions. */

import { BuildError } from '../client/build-error.ts';
import type { Out } from './columns.ts';
import { and, call, Ex, literal } from './expression.ts';
import { jsonText, literalText, padded, paramText } from './literals.ts';
import type { Nodes } from './nodes.ts';
import { Q } from './query.ts';
import { filterRel, rowsRel } from './rows.ts';
import type { Call } from './table.ts';

const listMax = 16;

export function expressionText(doc: Nodes, ex: unknown): string {
  if (!(ex instanceof Ex)) throw new BuildError('an expression is wanted');
  const { op, args } = ex;
  switch (op) {
    case 'lit':
      doc.hasValue = true;
      return `{"kind":"lit","value":${literalText(ex.code, args[0], 'a literal')}}`;
    case 'param':
      doc.hasValue = true;
      return paramText(args);
    case 'col':
      // Scopes of all documents are called alike: the column would be that of other rows.
      if (args[2] !== doc.id) doc.stray ??= args[1];
      ex.text ??= `{"kind":"col","scope":"${args[0]}","column":${jsonText(args[1])}}`;
      return ex.text;
    case 'unary':
      return `{"kind":"unary","op":"${args[0]}","expr":${doc.ex(args[1] as Ex)}}`;
    case 'binary':
      return `{"kind":"binary","op":"${args[0]}","left":${doc.ex(args[1] as Ex)},"right":${doc.ex(args[2] as Ex)}}`;
    case 'as':
      return doc.ex(args[0] as Ex);
    case 'cast':
      return `{"kind":"cast","expr":${doc.ex(args[0] as Ex)},"to":"${args[1]}"}`;
    case 'branch': {
      const [arms, last] = args as [readonly (readonly [Ex, Ex])[], Ex];
      const texts = arms.map(([when, then]) => `{"when":${doc.ex(when)},"then":${doc.ex(then)}}`);
      return `{"kind":"branch","branches":[${texts.join()}],"else":${doc.ex(last)}}`;
    }
    case 'coalesce':
      return `{"kind":"coalesce","args":[${(args as readonly Ex[]).map((arg) => doc.ex(arg)).join()}]}`;
    case 'text_match': {
      doc.hasValue = true;
      const [value, parts, isFolded] = args as [Ex, readonly unknown[], boolean];
      if (parts.length === 0) return doc.ex(call(value, 'eq', ''));
      const comparison = isFolded ? ',"comparison":"unicode_simple_fold"' : '';
      return `{"kind":"text_match","value":${doc.ex(value)},"parts":${jsonText(parts)}${comparison}}`;
    }
    case 'in':
      return doc.ex(among(args as [Ex, readonly Ex[]]));
    case 'exists':
      return `{"kind":"exists","node":"${doc.rel(args[0] as Q).node}"}`;
    case 'existsIn': {
      // `in` of many values: whether the list has a row that equals.
      const [value, values] = args as [Ex, readonly Ex[]];
      const columns = [{ name: 'v', code: value.code, nullable: false }];
      const list = rowsRel(doc, { columns, cells: values.map((cell) => [cell]) });
      const found = filterRel(doc, list, () => call(value, 'eq', (list.out[0] as Out).ex));
      return `{"kind":"exists","node":"${found.node}"}`;
    }
    case 'scalar': {
      const [q, of, isFold] = args as [Q, Call | undefined, boolean];
      const one =
        isFold || q.isSingle ? q : new Q({ kind: 'slice', input: q, offset: undefined, limit: 1 });
      const only = of === undefined ? one : one.select((...row) => ({ v: of(...row) }));
      return `{"kind":"scalar","node":"${doc.rel(only).node}"}`;
    }
    case 'fold':
      throw new BuildError('count, sum, avg, min and max stand in group and fold');
    default:
      throw new BuildError(`${op} is no expression`);
  }
}

/** FALSE for NULL, however many values there are. */
function among([value, values]: [Ex, readonly Ex[]]): Ex {
  if (values.length === 0) return literal('b', false);
  const all = padded(values);
  if (all.length > listMax) return new Ex('existsIn', [value, all], 'b', false);
  const found = all
    .map((one) => call(value, 'eq', one))
    .reduce((left, right) => call(left, 'or', right));
  if (!value.nullable) return found;
  return and([call(value, 'isNotNull'), found]);
}
