/** The neutral trees of tests/clients/corpus as queries of the TypeScript builder. The grammar is in the README there. */

import {
  avg,
  count,
  lit,
  max,
  min,
  program,
  recursive,
  rows,
  sum,
  when,
} from '../../clients/typescript/runtime/index.ts';

export type Tree = readonly [head: string, ...parts: readonly unknown[]];
type Pairs = readonly (readonly [name: string, tree: unknown])[];
// biome-ignore lint/suspicious/noExplicitAny: the trees have no types, and the runtime wants none
type Any = any;
type Tables = Readonly<Record<string, Any>>;

/** `frames`: arguments of the callbacks around, the innermost first. */
interface Scope {
  readonly tables: Tables;
  readonly frames: readonly (readonly Any[])[];
  readonly names: ReadonlyMap<string, Any>;
}

export function interpret(tables: Tables, tree: unknown): Any {
  return new Interpreter({ tables, frames: [], names: new Map() }).result(tree);
}

/** `{"$int64"}`, `{"$bytes"}` and `{"$float"}` as values of this language. */
export function nativeOf(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  const { $int64, $bytes, $float } = value as Readonly<Record<string, string>>;
  if ($int64 !== undefined) return BigInt($int64);
  if ($bytes !== undefined) return new Uint8Array(Buffer.from($bytes, 'base64'));
  if ($float !== undefined) return $float === '-0' ? -0 : Number($float);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, nativeOf(one)]));
}

const isTree = (value: unknown): value is Tree => Array.isArray(value);
const methods: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'and', 'or', 'not', 'add', 'sub', 'mul', 'div'],
    ...['neg', 'int', 'float', 'isNull', 'isNotNull', 'same', 'orElse', 'between', 'asc', 'desc'],
  ].map((name) => [name, name]),
);
const folds: Readonly<Record<string, (of: Any) => unknown>> = { sum, avg, min, max };

class Interpreter {
  private readonly scope: Scope;

  constructor(scope: Scope) {
    this.scope = scope;
  }

  /** What can be run: a query, a statement, a program, or `["all", pairs]`. */
  result(tree: unknown): Any {
    const [head, ...parts] = tree as Tree;
    if (head === 'all') return this.object(parts[0] as Pairs);
    if (head === 'program') return this.program(parts[0] as readonly Tree[], parts[1]);
    return this.part(tree);
  }

  private within(frame: readonly Any[]): Interpreter {
    return new Interpreter({ ...this.scope, frames: [frame, ...this.scope.frames] });
  }

  private named(name: string, value: Any): Interpreter {
    return new Interpreter({ ...this.scope, names: new Map(this.scope.names).set(name, value) });
  }

  private object(pairs: Pairs): Any {
    return Object.fromEntries(pairs.map(([name, tree]) => [name, this.part(tree)]));
  }

  /** A callback of `tree`, of pairs, or of a list of terms. */
  private fn(tree: unknown): (...row: Any[]) => Any {
    return (...row) => this.within(row).part(tree);
  }
  private fields(pairs: unknown): (...row: Any[]) => Any {
    return (...row) => this.within(row).object(pairs as Pairs);
  }

  private table(name: unknown): Any {
    const { tables } = this.scope;
    if (!Object.hasOwn(tables, name as string)) throw new Error(`no table ${name}`);
    return tables[name as string];
  }

  /** A query, an expression, a statement, or a value. */
  private part(tree: unknown): Any {
    if (!isTree(tree)) return nativeOf(tree);
    const [head, ...parts] = tree;
    const [a, b, c, d] = parts as Any[];
    const q = () => this.part(a);
    switch (head) {
      case 'table':
        return this.table(a);
      case 'get':
      case 'by':
        return this.table(a)[head](this.key(b));
      case 'getMany':
        return this.table(a).getMany(b.map((key: unknown) => this.key(key)));
      case 'rows':
        return rows(Object.fromEntries(a), b.map(nativeOf));
      case 'where':
        return q().where(this.fn(b));
      case 'whereIn':
        return q().whereIn(this.fn(b), c.map(nativeOf));
      case 'orderBy':
        return q().orderBy((...row: Any[]) =>
          b.map((term: unknown) => this.within(row).part(term)),
        );
      case 'limit':
      case 'offset':
      case 'named':
        return q()[head](b);
      case 'select':
        return q().select(this.fields(b));
      case 'join':
      case 'leftJoin':
        return q()[head](this.part(b), this.fn(c));
      case 'group':
        return q().group(this.fields(b), this.fields(c));
      case 'fold':
        return q().fold(this.fields(b));
      case 'union':
        return q().union(this.part(b));
      case 'intersect':
      case 'except':
        return q()[head](this.part(b), c);
      case 'distinct':
      case 'first':
      case 'one':
      case 'shared':
      case 'exists':
        return q()[head]();
      case 'value':
        return q().value(this.fn(b));
      case 'count':
        return a === undefined ? count() : q().count();
      case 'recursive':
        return recursive(q(), (self: Any) => this.named('self', self).part(b), c);
      case 'let':
        return this.named(a, this.result(b)).result(c);
      case 'use':
        return this.scope.names.get(a);
      case 'rowsOf':
        return this.scope.names.get(a).rows;
      case 'rel':
        return (this.scope.frames[b ?? 0] as Any).at(-1)[a];
      case 'col':
        return this.column(a, b ?? 0, c ?? 0);
      case 'lit':
        return lit(a, nativeOf(b) as Any);
      case 'in':
        return q().in(b.map(nativeOf));
      case 'match':
      case 'startsWith':
      case 'endsWith':
      case 'contains':
        return q()[head](b, { fold: c ?? false });
      case 'when':
        return this.when(a, b);
      case 'sum':
      case 'avg':
      case 'min':
      case 'max':
        return folds[head]?.(q());
      case 'insert':
        return this.table(a).insert(nativeOf(b));
      case 'insertMany':
        return this.table(a).insertMany(b.map(nativeOf));
      case 'insertFrom':
      case 'updateFrom':
        return this.table(a)[head](this.part(b), this.fields(c));
      case 'insertIgnore':
        return this.table(a).insertIgnore(b.map(nativeOf), c);
      case 'upsert':
        return this.table(a).upsert(b.map(nativeOf), { on: c ?? undefined, set: this.merge(d) });
      case 'update':
        return this.table(a).update(this.key(b), this.fields(c));
      case 'updateWhere':
        return this.table(a).updateWhere(this.fn(b), this.fields(c));
      case 'delete':
        return this.table(a).delete(this.key(b));
      case 'deleteWhere':
        return this.table(a).deleteWhere(this.fn(b));
      default:
        if (methods[head] === undefined) throw new Error(`${head} is not of the grammar`);
        return q()[head](...parts.slice(1).map((one) => this.part(one)));
    }
  }

  private key(pairs: unknown): Any {
    return this.object(Object.entries(pairs as object) as unknown as Pairs);
  }

  private column(name: string, side: number, up: number): Any {
    const row = this.scope.frames[up]?.[side];
    if (!Object.hasOwn(row, name)) throw new Error(`no column ${name}`);
    return row[name];
  }

  private when(arms: Pairs, otherwise: unknown): Any {
    let branch: Any = { when };
    for (const [test, then] of arms) branch = branch.when(this.part(test), this.part(then));
    return branch.else(this.part(otherwise));
  }

  /** Names of columns, or pairs in the scope of the row that is there (side 0) and the given one (side 1). */
  private merge(set: readonly unknown[] | undefined): Any {
    return set === undefined || typeof set[0] === 'string' ? set : this.fields(set);
  }

  private program(steps: readonly Tree[], result: unknown): Any {
    return program((p: Any) => {
      const names = new Map(this.scope.names);
      const here = new Interpreter({ ...this.scope, names });
      for (const [head, name, tree] of steps) {
        if (head === 'do') names.set(name as string, p.do(here.part(tree)));
        else if (head === 'query') names.set(name as string, p.query(here.part(tree)));
        else p.ensure(name, here.part(tree));
      }
      return result === null ? undefined : here.result(result);
    });
  }
}
