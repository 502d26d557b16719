/** Queries as relations of LIR: text by the rules that make it the same in every language (docs/clients/wire-text.md). */

import { BuildError } from '../client/build-error.ts';
import { typeOf } from '../wire/codec.ts';
import {
  membersOf,
  nullableOut,
  type Out,
  oneReader,
  outOf,
  type Rel,
  rowReader,
  rowsReader,
  sameColumns,
  scoped,
  widened,
} from './columns.ts';
import { Ex, literal, OrderTerm } from './expression.ts';
import { expressionText } from './expression-text.ts';
import { cellText, jsonText, padded, type RowsParts } from './literals.ts';
import { asksForOne, equalities, isExplicit, ordered, Q, termsOf } from './query.ts';
import { tableRel } from './related.ts';
import { type Call, readerOf, type Schema, type TableShape, type ValueReader } from './table.ts';

const nodesMax = 10_000;

let documents = 0;

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
  hasValue = false;
  readonly id = ++documents;
  stray: unknown;

  /** Only the columns are asked for: what rows of statements are called does not matter. */
  private readonly isProbe: boolean;

  constructor(statements: ReadonlyMap<unknown, string> = new Map(), isProbe = false) {
    this.statements = statements;
    this.isProbe = isProbe;
  }

  /** For columns alone, beside this one. */
  private beside(): Doc {
    return new Doc(this.statements, this.isProbe);
  }

  /** The whole relation, with the node at its root. */
  text(node: string, cardinality: string): string {
    if (this.count > nodesMax) throw new BuildError(`a query of more than ${nodesMax} nodes`);
    if (this.stray !== undefined)
      throw new BuildError(`${this.stray}: a column of rows that are not at hand here`);
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

  /** The same columns behind another node. */
  private over(input: Rel, kind: string, write: () => string): Rel {
    return { ...input, node: this.node(kind, () => `"input":"${input.node}"${write()}`) };
  }

  private binding(statement: unknown): string {
    const found = this.statements.get(statement);
    if (found === undefined && !this.isProbe)
      throw new BuildError('rows of a statement belong to its program');
    return found ?? '';
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
        return tableRel(node, schema, table, scope, this.id);
      }
      case 'ref': {
        const { schema, table, statement } = part as {
          schema: Schema;
          table: TableShape;
          statement: unknown;
        };
        return this.reference('ref', this.binding(statement), (node, scope) => ({
          ...tableRel(node, schema, table, scope, this.id),
          key: undefined,
        }));
      }
      case 'refQuery': {
        const binding = this.binding(part['statement']);
        const inner = this.beside().shaped(part['of'] as Q);
        return this.reference('ref', binding, (node, scope) =>
          scoped(node, scope, inner.out, this.id),
        );
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
        const { offset, limit } = part;
        return this.over(this.rel(ordered(first)), 'slice', () => {
          const skipped = offset === undefined ? '' : `,"offset":${offset}`;
          return limit === undefined ? skipped : `${skipped},"limit":${limit}`;
        });
      }
      case 'select': {
        const input = this.rel(first);
        return this.project(input, (part['fields'] as Call)(...input.args));
      }
      case 'all': {
        return this.all(this.rel(first), '');
      }
      case 'join':
        return this.join(first, second, part['join'] as string, part['on'] as Call);
      case 'group':
        return this.group(first, part['keys'] as Call | undefined, part['folds'] as Call);
      case 'distinct': {
        const input = this.rel(first);
        const rows = isExplicit(first) ? input : this.renamed(input);
        return this.over(rows, 'distinct', () => '');
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
        const inner = name === undefined ? this.shaped(first) : this.beside().shaped(first);
        if (name === undefined) {
          name = `b${this.bound++}`;
          this.known.set(first, name);
          this.bindings.push(`"${name}":{"kind":"derived","node":"${inner.node}"}`);
        }
        return this.reference('ref', name, (node, scope) =>
          scoped(node, scope, inner.out, this.id),
        );
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
          scoped(node, scope, widened(anchor, step), this.id),
        );
      }
      case 'self': {
        const name = this.known.get(q);
        if (name === undefined && !this.isProbe)
          throw new BuildError('the rows of a recursion belong into its step');
        const anchor = this.beside().explicit(part['anchor'] as Q);
        return this.reference('recursive_ref', name ?? '', (node, scope) =>
          scoped(node, scope, anchor.out, this.id),
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
    return this.over(input, 'slice', () => `,"limit":${limit}`);
  }

  sorted(input: Rel, terms: readonly OrderTerm[]): Rel {
    return this.over(input, 'order', () => {
      const texts = terms.map(
        ({ ex, desc }) => `{"expr":${this.ex(ex)}${desc ? ',"desc":true' : ''}}`,
      );
      return `,"terms":[${texts.join()}]`;
    });
  }

  explicit(q: Q): Rel {
    return this.rel(isExplicit(q) ? q : new Q('all', [q], {}));
  }

  /** All columns, one by one. */
  private all(input: Rel, scope: string): Rel {
    const { out } = input;
    if (input.isTwice) {
      throw new BuildError('both sides of the join have a column of one name: use select');
    }
    return this.over(input, 'project', () => {
      const fields = out.map(({ name, ex }) => `{"as":${jsonText(name)},"expr":${this.ex(ex)}}`);
      return `,${scope}"fields":[${fields.join()}]`;
    });
  }

  /** The same behind a step whose rows are seen by its own scope only. */
  private renamed(input: Rel): Rel {
    const scope = this.label();
    return scoped(this.all(input, `"scope":"${scope}",`).node, scope, input.out, this.id);
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

  rows({ columns, cells }: RowsParts): Rel {
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
      outOf(name, member, new Ex('col', [scope, name, this.id], code, nullable)),
    );
    return { node, args: [membersOf(all)], out: all, key: undefined };
  }

  filter(input: Rel, predicate: () => unknown): Rel {
    return this.over(input, 'filter', () => {
      const test = predicate();
      if (!(test instanceof Ex) || test.code !== 'b')
        throw new BuildError('where wants a truth value');
      return `,"predicate":${this.ex(test)}`;
    });
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
        const column = new Ex('col', [scope, name, this.id], code, ex?.nullable ?? true);
        if (!isScalar) column.nested = { read };
        out.push({ name, member: name, ex: column, read, isScalar });
        return `{"as":${jsonText(name)},"expr":${text}}`;
      });
      return `"input":"${input.node}","scope":"${scope}","fields":[${texts.join()}]`;
    });
    return { node, args: [membersOf(out)], out, key: undefined };
  }

  /** A value of a projection: an expression, or nested rows. */
  private field(name: string, value: unknown): { text: string; read: ValueReader; ex?: Ex } {
    if (value instanceof Ex) {
      const { nested } = value;
      if (nested) return { text: this.ex(value), read: nested.read };
      return { text: this.ex(value), read: readerOf(value.code, name), ex: value };
    }
    if (value instanceof Q) {
      if (asksForOne(value))
        throw new BuildError(
          `${name}: one() holds for a whole result only: use first(), or ensure of a program`,
        );
      const inner = this.shaped(value);
      const { node, out } = inner;
      if (value.card === 'many')
        return { text: `{"kind":"array","node":"${node}"}`, read: rowsReader(out) };
      return {
        text: `{"kind":"first","node":"${node}"}`,
        read: oneReader(rowReader(out), value.card, name),
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
    const args = [...sides.slice(0, -1), last];
    const out = [...a.out, ...padded];
    const isTwice = new Set(out.map(({ name }) => name)).size < out.length;
    return { node, args, out, key, isTwice };
  }

  private group(q: Q, keys: Call | undefined, folds: Call): Rel {
    const input = this.rel(q);
    const scope = this.label();
    const out: Out[] = [];
    const add = (name: string, { code, nullable }: Ex) =>
      out.push(outOf(name, name, new Ex('col', [scope, name, this.id], code, nullable)));
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
    return scoped(node, scope, kind === 'concatenate' ? widened(a, b) : a.out, this.id);
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
        return literal(
          ex.code,
          found instanceof Ex ? value : (value as Readonly<Record<string, unknown>>)[name],
        );
      }),
    );
    const columns = names.map((name) => ({ name, code: (exs[name] as Ex).code, nullable: false }));
    const all = this.rows({ columns, cells });
    const list = this.over(all, 'distinct', () => '');
    const node = this.node('join', () => {
      const test = equalities(
        names.map((name, i) => [(list.out[i] as Out).ex, exs[name]] as const),
      );
      return `"left":"${list.node}","right":"${input.node}","join":"inner","on":${this.ex(test)}`;
    });
    return { ...input, node };
  }

  ex(ex: Ex): string {
    return expressionText(this, ex);
  }
}

/** How many arguments of callbacks are rows; behind them come relations. */
function sidesOf(q: Q): number {
  if (q.op === 'join') return sidesOf(q.inputs[0] as Q) + 1;
  const isSameRow = ['where', 'whereIn', 'order', 'slice', 'same', 'all', 'distinct'].includes(
    q.op,
  );
  return isSameRow ? sidesOf(q.inputs[0] as Q) : 1;
}

/** The code of what `of` gives, known before the query stands in a document. */
function codeOf(q: Q, of: Call): Ex {
  return of(...new Doc(undefined, true).rel(q).args) as Ex;
}

Object.assign(Q.prototype, {
  value(this: Q, of: Call): Ex {
    return new Ex('scalar', [this, of, false], codeOf(this, of).code, true);
  },
});
