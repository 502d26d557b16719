/** Queries as relations of LIR: text by the rules that make it the same in every language (docs/clients/wire-text.md). */

import { BuildError } from '../client/build-error.ts';
import type { Code, RelationInfo } from '../table-info.ts';
import { encode, typeOf } from '../wire/codec.ts';
import { and, call, Ex, literal, OrderTerm } from './expression.ts';
import { asksForOne, type Card, equalities, isExplicit, ordered, Q, termsOf } from './query.ts';
import {
  at,
  type Call,
  type Column,
  readerOf,
  record,
  type Schema,
  type TableShape,
  type ValueReader,
} from './table.ts';

type Values = Readonly<Record<string, unknown>>;

/** A column of what a relation gives. */
interface Out {
  readonly name: string;
  readonly member: string;
  readonly ex: Ex;
  readonly read: ValueReader;
  /** Nested rows are no value to compare or to order by. */
  readonly isScalar: boolean;
}

/** A relation in a document. */
interface Rel {
  readonly node: string;
  /** What callbacks of the next step are given. */
  readonly args: readonly unknown[];
  readonly out: readonly Out[];
  /** Columns that no two rows share. */
  readonly key: readonly Ex[] | undefined;
}

const nodesMax = 10_000;
const listMax = 16;

const jsonText = (value: unknown) => JSON.stringify(value);

/** What a step of a query is called in messages. */
interface Step {
  readonly node: string;
  readonly step: string;
}

/** One relation under way. */
export class Doc {
  /** Steps by node, for messages about a place in the text. */
  readonly steps: Step[] = [];
  private readonly plain: string[] = [];
  private readonly valued: string[] = [];
  private readonly bindings: string[] = [];
  private readonly known = new Map<Q, string>();
  /** Names of the statements that queries refer to. */
  private readonly statements: ReadonlyMap<unknown, string>;
  private count = 0;
  private labels = 0;
  private bound = 0;
  /** The node whose expressions are being written has a literal. */
  private hasValue = false;

  constructor(statements: ReadonlyMap<unknown, string> = new Map()) {
    this.statements = statements;
  }

  /** The whole relation, with the node at its root. */
  text(node: string, cardinality: string): string {
    if (this.count > nodesMax) throw new BuildError(`a query of more than ${nodesMax} nodes`);
    const bindings = this.bindings.length > 0 ? `"bindings":{${this.bindings.join()}},` : '';
    const nodes = [...this.plain, ...this.valued].join();
    return `{"root":{"node":"${node}","cardinality":"${cardinality}"},${bindings}"nodes":{${nodes}}}`;
  }

  private label(): string {
    return `s${this.labels++}`;
  }

  /** Numbered once what it reads is. `write` gives the members behind `kind`. */
  private node(kind: string, write: () => string): string {
    const outside = this.hasValue;
    this.hasValue = kind === 'rows';
    const members = write();
    const id = `n${this.count++}`;
    (this.hasValue ? this.valued : this.plain).push(`"${id}":{"kind":"${kind}",${members}}`);
    this.steps.push({ node: id, step: kind });
    this.hasValue = outside;
    return id;
  }

  /** An ordered query with named columns, as answers and crossings have it. */
  shaped(q: Q): Rel {
    const sorted = q.card === 'one' && q.isSingle ? q : ordered(q);
    return this.rel(isExplicit(sorted) ? sorted : new Q('all', [sorted], {}));
  }

  rel(q: Q): Rel {
    const [first, second] = q.inputs as readonly [Q, Q];
    const part = q.with;
    switch (q.op) {
      case 'scan': {
        const { schema, table } = part as { schema: Schema; table: TableShape };
        const scope = this.label();
        const node = this.node('scan', () => `"table":${jsonText(table.name)},"scope":"${scope}"`);
        return tableRel(node, schema, table, scope);
      }
      case 'ref': {
        const { schema, table, statement } = part as {
          schema: Schema;
          table: TableShape;
          statement: unknown;
        };
        const binding = this.statements.get(statement);
        if (binding === undefined)
          throw new BuildError('rows of a statement belong to its program');
        return this.reference('ref', binding, (node, scope) => ({
          ...tableRel(node, schema, table, scope),
          key: undefined,
        }));
      }
      case 'refQuery': {
        const binding = this.statements.get(part['statement']);
        if (binding === undefined)
          throw new BuildError('rows of a statement belong to its program');
        const inner = new Doc(this.statements).shaped(part['of'] as Q);
        return this.reference('ref', binding, (node, scope) => scoped(node, scope, inner.out));
      }
      case 'rows':
        return this.rows(part as unknown as RowsParts);
      case 'same':
        return this.rel(first);
      case 'where': {
        const input = this.rel(first);
        return this.filter(
          input,
          () => part['predicate'] && (part['predicate'] as Call)(...input.args),
        );
      }
      case 'whereIn':
        return this.whereIn(q);
      case 'order':
        return this.order(first, part['terms'] as Call | undefined);
      case 'slice': {
        const input = this.rel(ordered(first));
        const node = this.node('slice', () =>
          [
            `"input":"${input.node}"`,
            part['offset'] === undefined ? '' : `"offset":${part['offset']}`,
            part['limit'] === undefined ? '' : `"limit":${part['limit']}`,
          ]
            .filter(Boolean)
            .join(),
        );
        return { ...input, node };
      }
      case 'select': {
        const input = this.rel(first);
        return this.project(input, (part['fields'] as Call)(...input.args));
      }
      case 'all': {
        const input = this.rel(first);
        return { ...input, node: this.all(input, '') };
      }
      case 'join':
        return this.join(first, second, part['join'] as string, part['on'] as Call);
      case 'group':
        return this.group(first, part['keys'] as Call | undefined, part['folds'] as Call);
      case 'distinct': {
        const input = this.rel(first);
        const rows = isExplicit(first) ? input : this.renamed(input);
        return { ...rows, node: this.node('distinct', () => `"input":"${rows.node}"`) };
      }
      case 'set':
        return this.set(
          first,
          second,
          part['kind'] as string,
          part['quantifier'] as string | undefined,
        );
      case 'shared': {
        let name = this.known.get(first);
        const inner =
          name === undefined ? this.shaped(first) : new Doc(this.statements).shaped(first);
        if (name === undefined) {
          name = `b${this.bound++}`;
          this.known.set(first, name);
          this.bindings.push(`"${name}":{"kind":"derived","node":"${inner.node}"}`);
        }
        return this.reference('ref', name, (node, scope) => scoped(node, scope, inner.out));
      }
      case 'recursive': {
        const { self, accumulation } = part as { self: Q; accumulation: string };
        const name = `b${this.bound++}`;
        this.known.set(self, name);
        const anchor = this.explicit(first);
        const step = this.explicit(second);
        sameColumns(anchor, step, 'the step of a recursion');
        this.bindings.push(
          `"${name}":{"kind":"recursive","anchor":"${anchor.node}","step":"${step.node}","accumulation":"${accumulation}"}`,
        );
        return this.reference('ref', name, (node, scope) =>
          scoped(node, scope, widened(anchor, step)),
        );
      }
      case 'self': {
        const name = this.known.get(q);
        if (name === undefined)
          throw new BuildError('the rows of a recursion belong into its step');
        const anchor = new Doc(this.statements).explicit(part['anchor'] as Q);
        return this.reference('recursive_ref', name, (node, scope) =>
          scoped(node, scope, anchor.out),
        );
      }
      case 'page':
        return (part['build'] as (doc: Doc) => Rel)(this);
      default:
        throw new BuildError(`${q.op} is no query`);
    }
  }

  kept(input: Rel, predicate: Ex): Rel {
    return this.filter(input, () => predicate);
  }

  cut(input: Rel, limit: number): Rel {
    return { ...input, node: this.node('slice', () => `"input":"${input.node}","limit":${limit}`) };
  }

  sorted(input: Rel, terms: readonly OrderTerm[]): Rel {
    const node = this.node('order', () => {
      const texts = terms.map(
        ({ ex, desc }) => `{"expr":${this.ex(ex)}${desc ? ',"desc":true' : ''}}`,
      );
      return `"input":"${input.node}","terms":[${texts.join()}]`;
    });
    return { ...input, node };
  }

  explicit(q: Q): Rel {
    return this.rel(isExplicit(q) ? q : new Q('all', [q], {}));
  }

  /** All columns, one by one. */
  private all({ node, out }: Rel, scope: string): string {
    if (new Set(out.map(({ name }) => name)).size < out.length) {
      throw new BuildError('both sides of the join have a column of one name: use select');
    }
    return this.node('project', () => {
      const fields = out.map(({ name, ex }) => `{"as":${jsonText(name)},"expr":${this.ex(ex)}}`);
      return `"input":"${node}",${scope}"fields":[${fields.join()}]`;
    });
  }

  /** The same behind a step whose rows are seen by its own scope only. */
  private renamed(input: Rel): Rel {
    const scope = this.label();
    return scoped(this.all(input, `"scope":"${scope}",`), scope, input.out);
  }

  private reference(
    kind: string,
    binding: string,
    make: (node: string, scope: string) => Rel,
  ): Rel {
    const scope = this.label();
    const node = this.node(kind, () => `"binding":${jsonText(binding)},"scope":"${scope}"`);
    return make(node, scope);
  }

  private rows({ columns, cells }: RowsParts): Rel {
    const scope = this.label();
    const node = this.node('rows', () => {
      const heads = columns.map(
        ({ name, code, nullable }) =>
          `{"name":${jsonText(name)},"type":"${typeOf(code)}"${nullable ? ',"nullable":true' : ''}}`,
      );
      const lines = cells.map(
        (row) => `[${row.map((cell, i) => cellText(cell, columns[i]?.name)).join()}]`,
      );
      return `"scope":"${scope}","columns":[${heads.join()}],"rows":[${lines.join()}]`;
    });
    const all = columns.map(({ name, code, nullable, member = name }) =>
      outOf(name, member, new Ex('col', [scope, name], code, nullable)),
    );
    return { node, args: [membersOf(all)], out: all, key: undefined };
  }

  private filter(input: Rel, predicate: () => unknown): Rel {
    const node = this.node('filter', () => {
      const test = predicate();
      if (!(test instanceof Ex) || test.code !== 'b')
        throw new BuildError('where wants a truth value');
      return `"input":"${input.node}","predicate":${this.ex(test)}`;
    });
    return { ...input, node };
  }

  private order(q: Q, by: Call | undefined): Rel {
    const input = this.rel(q);
    const keys = input.key ?? input.out.flatMap(({ ex, isScalar }) => (isScalar ? [ex] : []));
    const terms =
      by === undefined ? keys.map((ex) => new OrderTerm(ex, false)) : termsOf(by(...input.args));
    return this.sorted(input, terms);
  }

  /** `fields` is what the callback has given: expressions and queries by name. */
  project(input: Rel, fields: unknown): Rel {
    if (
      fields === null ||
      typeof fields !== 'object' ||
      fields instanceof Ex ||
      fields instanceof Q
    ) {
      throw new BuildError('select wants an object of expressions and queries');
    }
    const entries = Object.entries(fields);
    if (entries.length === 0) throw new BuildError('select wants one field at least');
    const scope = this.label();
    const out: Out[] = [];
    const node = this.node('project', () => {
      const texts = entries.map(([name, value]) => {
        const { text, read, ex } = this.field(name, value);
        const isScalar = ex !== undefined;
        const code = ex?.code ?? 't';
        const column = new Ex('col', [scope, name], code, ex?.nullable ?? true);
        out.push({ name, member: name, ex: column, read, isScalar });
        return `{"as":${jsonText(name)},"expr":${text}}`;
      });
      return `"input":"${input.node}","scope":"${scope}","fields":[${texts.join()}]`;
    });
    return { node, args: [membersOf(out)], out, key: undefined };
  }

  /** A value of a projection: an expression, or nested rows. */
  private field(name: string, value: unknown): { text: string; read: ValueReader; ex?: Ex } {
    if (value instanceof Ex)
      return { text: this.ex(value), read: readerOf(value.code, name), ex: value };
    if (value instanceof Q) {
      if (asksForOne(value))
        throw new BuildError(
          `${name}: one() holds only for a whole result; within select and beside other results use first(), in a program p.ensure too`,
        );
      const inner = this.shaped(value);
      const row = rowReader(inner.out);
      if (value.card === 'many') {
        return { text: `{"kind":"array","node":"${inner.node}"}`, read: row && listReader(row) };
      }
      return {
        text: `{"kind":"first","node":"${inner.node}"}`,
        read: oneReader(row, value.card, name),
      };
    }
    const plain = value as never;
    if (plain === null || plain === undefined)
      throw new BuildError(`${name} is ${plain}: use lit(type, null)`);
    throw new BuildError(`${name} is neither an expression nor a query: use lit(type, value)`);
  }

  private join(left: Q, right: Q, kind: string, on: Call): Rel {
    const [a, b] = [this.rel(left), this.rel(right)];
    const sides = [...a.args.slice(0, sidesOf(left)), b.args[0]];
    const node = this.node('join', () => {
      const test = on(...sides) as Ex;
      return `"left":"${a.node}","right":"${b.node}","join":"${kind}","on":${this.ex(test)}`;
    });
    const padded = kind === 'left' ? b.out.map(nullableOut) : b.out;
    const last = kind === 'left' ? membersOf(padded) : b.args[0];
    const key = a.key && b.key && [...a.key, ...b.key];
    return { node, args: [...sides.slice(0, -1), last], out: [...a.out, ...padded], key };
  }

  private group(q: Q, keys: Call | undefined, folds: Call): Rel {
    const input = this.rel(q);
    const scope = this.label();
    const out: Out[] = [];
    const add = (name: string, { code, nullable }: Ex) =>
      out.push(outOf(name, name, new Ex('col', [scope, name], code, nullable)));
    const node = this.node('aggregate', () => {
      const groups = Object.entries((keys?.(...input.args) ?? {}) as Record<string, Ex>).map(
        ([name, ex]) => {
          add(name, ex);
          return `{"expr":${this.ex(ex)},"as":${jsonText(name)}}`;
        },
      );
      const aggs = Object.entries(folds(...input.args) as Record<string, Ex>).map(([name, ex]) => {
        if (!(ex instanceof Ex) || ex.op !== 'fold')
          throw new BuildError(`${name} is no count, sum, avg, min or max`);
        add(name, ex);
        const [fn, arg] = ex.args as [string, Ex | undefined];
        return `{"fn":"${fn}","as":${jsonText(name)}${arg ? `,"arg":${this.ex(arg)}` : ''}}`;
      });
      const some = [
        groups.length > 0 && `"groups":[${groups.join()}]`,
        aggs.length > 0 && `"aggs":[${aggs.join()}]`,
      ];
      if (groups.length + aggs.length === 0) throw new BuildError('group wants a key or a fold');
      return [`"input":"${input.node}"`, `"scope":"${scope}"`, ...some.filter(Boolean)].join();
    });
    const key =
      keys && out.slice(0, out.length - Object.keys(folds(...input.args) as object).length);
    return { node, args: [membersOf(out)], out, key: key?.map(({ ex }) => ex) };
  }

  private set(left: Q, right: Q, kind: string, quantifier: string | undefined): Rel {
    const [a, b] = [this.explicit(left), this.explicit(right)];
    sameColumns(a, b, kind === 'concatenate' ? 'union' : kind);
    const scope = this.label();
    const node = this.node(kind, () =>
      kind === 'concatenate'
        ? `"inputs":["${a.node}","${b.node}"],"scope":"${scope}"`
        : `"left":"${a.node}","right":"${b.node}","quantifier":"${quantifier}","scope":"${scope}"`,
    );
    return scoped(node, scope, kind === 'concatenate' ? widened(a, b) : a.out);
  }

  /** The values as rows that the query is joined with: a lookup by key for each. */
  private whereIn(q: Q): Rel {
    const { of, values } = q.with as { of: Call; values: readonly unknown[] };
    const input = this.rel(q.inputs[0] as Q);
    const found = of(...input.args);
    const exs = found instanceof Ex ? { v: found } : (found as Record<string, Ex>);
    const names = Object.keys(exs);
    const cells = padded(values).map((value) =>
      names.map((name) => {
        const ex = exs[name] as Ex;
        return literal(ex.code, found instanceof Ex ? value : (value as Values)[name]);
      }),
    );
    const columns = names.map((name) => ({ name, code: (exs[name] as Ex).code, nullable: false }));
    const all = this.rows({ columns, cells });
    const list = { ...all, node: this.node('distinct', () => `"input":"${all.node}"`) };
    const node = this.node('join', () => {
      const test = equalities(
        names.map((name, i) => [(list.out[i] as Out).ex, exs[name]] as const),
      );
      return `"left":"${list.node}","right":"${input.node}","join":"inner","on":${this.ex(test)}`;
    });
    return { ...input, node };
  }

  ex(ex: Ex): string {
    const { op, args } = ex;
    if (!(ex instanceof Ex)) throw new BuildError('an expression is wanted');
    switch (op) {
      case 'lit':
        this.hasValue = true;
        return `{"kind":"lit","value":${literalText(ex.code, args[0], 'a literal')}}`;
      case 'param':
        this.hasValue = true;
        return `{"kind":"lit","value":${paramMark}${args[0]}${paramMark}}`;
      case 'col':
        return `{"kind":"col","scope":"${args[0]}","column":${jsonText(args[1])}}`;
      case 'unary':
        return `{"kind":"unary","op":"${args[0]}","expr":${this.ex(args[1] as Ex)}}`;
      case 'binary':
        return `{"kind":"binary","op":"${args[0]}","left":${this.ex(args[1] as Ex)},"right":${this.ex(args[2] as Ex)}}`;
      case 'as':
        return this.ex(args[0] as Ex);
      case 'cast':
        return `{"kind":"cast","expr":${this.ex(args[0] as Ex)},"to":"${args[1]}"}`;
      case 'branch': {
        const [arms, last] = args as [readonly (readonly [Ex, Ex])[], Ex];
        const texts = arms.map(
          ([when, then]) => `{"when":${this.ex(when)},"then":${this.ex(then)}}`,
        );
        return `{"kind":"branch","branches":[${texts.join()}],"else":${this.ex(last)}}`;
      }
      case 'coalesce':
        return `{"kind":"coalesce","args":[${(args as readonly Ex[]).map((arg) => this.ex(arg)).join()}]}`;
      case 'text_match': {
        this.hasValue = true;
        const [value, parts, isFolded] = args as [Ex, readonly unknown[], boolean];
        if (parts.length === 0) return this.ex(call(value, 'eq', ''));
        const comparison = isFolded ? ',"comparison":"unicode_simple_fold"' : '';
        return `{"kind":"text_match","value":${this.ex(value)},"parts":${jsonText(parts)}${comparison}}`;
      }
      case 'in':
        return this.ex(this.among(args as [Ex, readonly Ex[]]));
      case 'exists':
        return `{"kind":"exists","node":"${this.rel(args[0] as Q).node}"}`;
      case 'existsIn': {
        // `in` of many values: whether the list has a row that equals.
        const [value, values] = args as [Ex, readonly Ex[]];
        const columns = [{ name: 'v', code: value.code, nullable: false }];
        const list = this.rows({ columns, cells: values.map((cell) => [cell]) });
        const found = this.filter(list, () => call(value, 'eq', (list.out[0] as Out).ex));
        return `{"kind":"exists","node":"${found.node}"}`;
      }
      case 'scalar': {
        const [q, of, isFold] = args as [Q, Call | undefined, boolean];
        const one = isFold || q.isSingle ? q : new Q('slice', [q], { limit: 1 });
        const only =
          of === undefined
            ? one
            : new Q('select', [one], { fields: (...row: unknown[]) => ({ v: of(...row) }) });
        return `{"kind":"scalar","node":"${this.rel(only).node}"}`;
      }
      case 'fold':
        throw new BuildError('count, sum, avg, min and max stand in group and fold');
      default:
        throw new BuildError(`${op} is no expression`);
    }
  }

  /** FALSE for NULL, however many values there are. */
  private among([value, values]: [Ex, readonly Ex[]]): Ex {
    if (values.length === 0) return literal('b', false);
    const all = padded(values);
    if (all.length > listMax) return new Ex('existsIn', [value, all], 'b', false);
    const found = all
      .map((one) => call(value, 'eq', one))
      .reduce((left, right) => new Ex('binary', ['or', left, right], 'b', value.nullable));
    if (!value.nullable) return found;
    return and([call(value, 'isNotNull'), found]);
  }
}

interface RowsParts {
  readonly columns: readonly { name: string; code: Code; nullable: boolean; member?: string }[];
  readonly cells: readonly (readonly Ex[])[];
}

/** Up to the next power of two by the last one: few texts for many lengths. */
function padded<T>(values: readonly T[]): readonly T[] {
  if (values.length === 0) return values;
  const size = 2 ** Math.ceil(Math.log2(values.length));
  const last = values[values.length - 1] as T;
  return [...values, ...new Array<T>(size - values.length).fill(last)];
}

/** Around the number of a value that is known when a prepared query runs; no text of JSON holds such a character. */
export const paramMark = '\u0001';

export function literalText(code: Code, value: unknown, what: string): string {
  const type = typeOf(code);
  if (value === null) return `{"type":"${type}"}`;
  return `{"type":"${type}","value":${jsonText(encode(code, value, what))}}`;
}

function cellText({ op, code, args }: Ex, name: string | undefined): string {
  if (op !== 'lit') throw new BuildError(`${name}: rows take values, not expressions`);
  return args[0] === null ? 'null' : jsonText(String(encode(code, args[0], name ?? 'a cell')));
}

function outOf(name: string, member: string, ex: Ex): Out {
  return { name, member, ex, read: readerOf(ex.code, member), isScalar: true };
}

function nullableOut(out: Out): Out {
  const { op, args, code } = out.ex;
  return { ...out, ex: new Ex(op, args, code, true) };
}

function membersOf(out: readonly Out[]): Record<string, Ex> {
  return record(out.map(({ member, ex }) => [member, ex] as const));
}

/** The same columns by another scope. */
function scoped(node: string, scope: string, columns: readonly Out[]): Rel {
  const out = columns.map((column) => {
    const { code, nullable } = column.ex;
    return { ...column, ex: new Ex('col', [scope, column.name], code, nullable) };
  });
  return { node, args: [membersOf(out)], out, key: undefined };
}

/** Nullable where either is. */
function widened(a: Rel, b: Rel): readonly Out[] {
  return a.out.map((out, i) => (b.out[i]?.ex.nullable === true ? nullableOut(out) : out));
}

function sameColumns(a: Rel, b: Rel, what: string): void {
  const names = ({ out }: Rel) =>
    out.map(({ name, ex }) => `${name} ${typeOf(ex.code)}`).join(', ');
  if (names(a) !== names(b))
    throw new BuildError(`${what} wants the same columns: ${names(a)}, not ${names(b)}`);
}

/** How many arguments of callbacks are rows; behind them come relations. */
function sidesOf(q: Q): number {
  if (q.op === 'join') return sidesOf(q.inputs[0] as Q) + 1;
  const isSameRow = ['where', 'whereIn', 'order', 'slice', 'same', 'all', 'distinct'].includes(
    q.op,
  );
  return isSameRow ? sidesOf(q.inputs[0] as Q) : 1;
}

function tableRel(node: string, schema: Schema, table: TableShape, scope: string): Rel {
  const column = ({ name, code, nullable }: Column) => new Ex('col', [scope, name], code, nullable);
  const out = table.columns.map(
    (one): Out => ({
      ...{ name: one.name, member: one.member, ex: column(one), read: one.read },
      isScalar: true,
    }),
  );
  const key = (table.keys[0] as readonly Column[]).map(column);
  return { node, args: [membersOf(out), relationsOf(schema, table, column)], out, key };
}

/** Queries for the rows that belong to this row, each made when it is asked for. */
function relationsOf(
  schema: Schema,
  table: TableShape,
  own: (column: Column) => Ex,
): Record<string, Q> {
  const relations = {};
  for (const info of table.info[3]) {
    const get = () => relatedRows(schema, table, info, own);
    Object.defineProperty(relations, info[0], { get, enumerable: true });
  }
  return relations;
}

function relatedRows(
  schema: Schema,
  table: TableShape,
  [, to, mine, theirs, kind, through]: RelationInfo,
  own: (column: Column) => Ex,
): Q {
  const target = schema[to] as TableShape;
  const rows = new Q('scan', [], { schema, table: target });
  const pairs = (there: Values, columns: readonly Column[], values: readonly Ex[]) =>
    equalities(columns.map((one, i) => [there[one.member] as Ex, values[i]] as const));
  const mineNow = at(table.columns, mine).map(own);
  if (through === undefined) {
    const predicate = (there: Values) => pairs(there, at(target.columns, theirs), mineNow);
    return new Q('where', [rows], { predicate }, { card: kind, isSingle: kind !== 'many' });
  }
  const [between, toUs, toThem] = through;
  const middle = schema[between] as TableShape;
  const predicate = (there: Values) =>
    new Ex(
      'exists',
      [
        new Q('scan', [], { schema, table: middle }).where((link) =>
          and([
            pairs(link as Values, at(middle.columns, toUs), mineNow),
            pairs(
              link as Values,
              at(middle.columns, toThem),
              at(target.columns, theirs).map((one) => there[one.member] as Ex),
            ),
          ]),
        ),
      ],
      'b',
      false,
    );
  return new Q('where', [rows], { predicate });
}

/** Undefined where rows come as they are to be. */
export function rowReader(out: readonly Out[], isPicked = false): ValueReader {
  const isSame = out.every(({ name, member, read }) => read === undefined && name === member);
  if (isSame && !isPicked) return undefined;
  return (row: Values) =>
    record(
      out.map(
        ({ name, member, read }) => [member, read ? read(row[name] as never) : row[name]] as const,
      ),
    );
}

export function listReader(row: NonNullable<ValueReader>): ValueReader {
  return (rows: readonly never[]) => rows.map(row);
}

export function oneReader(row: ValueReader, card: Card, what: string): ValueReader {
  return (value: never) => {
    if (value !== null) return row ? row(value) : value;
    if (card === 'maybe') return null;
    throw new BuildError(`${what}: there is no row, against what the schema promises`);
  };
}

/** The code of what `of` gives, known before the query stands in a document. */
function codeOf(q: Q, of: Call, statements?: ReadonlyMap<unknown, string>): Ex {
  return of(...new Doc(statements).rel(q).args) as Ex;
}

Object.assign(Q.prototype, {
  value(this: Q, of: Call): Ex {
    return new Ex('scalar', [this, of, false], codeOf(this, of).code, true);
  },
});
