/** Random queries as neutral trees, typed, so that most of them have an answer. */

import type { Tree } from './interpret.ts';

type Type = 'int64' | 'float64' | 'text' | 'bool';
interface Column {
  readonly name: string;
  readonly type: Type;
}
interface Typed {
  readonly tree: Tree;
  readonly columns: readonly Column[];
  /** By orderBy: steps that keep no order are followed by another one. */
  readonly isOrdered?: boolean;
}

const of = (text: string): readonly Column[] =>
  text.split(' ').map((one) => {
    const [name = '', kind = ''] = one.split(':');
    const types = { i: 'int64', f: 'float64', s: 'text', b: 'bool' } as const;
    return { name, type: types[kind as keyof typeof types] };
  });
const tables: Readonly<Record<string, readonly Column[]>> = {
  users: of('id:i handle:s bio:s'),
  posts: of('id:i author_id:i title:s body:s rating:f live:b at:i'),
  counters: of('name:s n:i'),
  values: of('id:i f:f b:b s:s'),
  表: of('a:i b:s n:i x:f'),
};
const values: Readonly<Record<Type, readonly unknown[]>> = {
  int64: [0, 1, 2, 3, 5, -1, 99],
  float64: [0, 0.5, 1, -3.25, { $float: '-0' }],
  text: ['', 'ada', 'x', 'one', 'b', 'é"'],
  bool: [true, false],
};

/** The frames of columns around an expression: sides of each. */
type Frames = readonly (readonly (readonly Column[])[])[];

export class RandomTrees {
  private readonly random: () => number;
  constructor(random: () => number) {
    this.random = random;
  }

  query(): Tree {
    return this.typed(3, []).tree;
  }

  private below(n: number): number {
    return Math.floor(this.random() * n);
  }
  private pick<T>(all: readonly T[]): T {
    return all[this.below(all.length)] as T;
  }

  private typed(depth: number, around: Frames): Typed {
    if (depth === 0 || this.below(5) === 0) {
      const name = this.pick(Object.keys(tables));
      return { tree: ['table', name], columns: tables[name] as readonly Column[] };
    }
    const input = this.typed(depth - 1, around);
    const { tree, columns, isOrdered = false } = input;
    const frames: Frames = [[columns], ...around];
    switch (this.below(10)) {
      case 0:
      case 1:
        return { ...input, tree: ['where', tree, this.bool(2, frames, depth)] };
      case 2: {
        const terms = [1, 2].map(() => {
          const term = this.column(this.pick(columns).type, frames, 0);
          return this.below(2) === 0 ? ['desc', term] : term;
        });
        return {
          tree: ['orderBy', tree, [...terms, ...columns.map(({ name }) => ['col', name])]],
          columns,
          isOrdered: true,
        };
      }
      case 3:
        return {
          tree: ['limit', this.total(input), 1 + this.below(4)],
          columns,
          isOrdered: true,
        };
      case 4:
      case 5:
        return { ...this.select(tree, frames, depth), isOrdered };
      case 6:
        return this.group(tree, columns, frames);
      case 7:
        return this.again(this.join(input, depth, around), isOrdered);
      case 8:
        return this.again({ tree: ['distinct', tree], columns }, isOrdered);
      default: {
        const other: Tree = ['where', tree, this.bool(1, frames, 0)];
        const kind = this.pick(['union', 'intersect', 'except']);
        const set: Tree =
          kind === 'union' ? [kind, tree, other] : [kind, tree, other, this.below(2) === 0];
        return this.again({ tree: set, columns }, isOrdered);
      }
    }
  }

  /** What has lost an order gets one. */
  private again(found: Typed, wasOrdered: boolean): Typed {
    return wasOrdered ? { ...found, tree: this.total(found), isOrdered: true } : found;
  }

  /** In an order of all columns, so that a limit means one set of rows. */
  private total({ tree, columns }: Typed): Tree {
    return ['orderBy', tree, columns.map(({ name }) => ['col', name])];
  }

  private select(tree: Tree, frames: Frames, depth: number): Typed {
    const fields = Array.from({ length: 1 + this.below(3) }, (_, i) => {
      const type = this.pick(['int64', 'float64', 'text', 'bool'] as const);
      return { name: `c${i}`, type, e: this.expression(type, 2, frames, depth) };
    });
    return {
      tree: ['select', tree, fields.map(({ name, e }) => [name, e])],
      columns: fields.map(({ name, type }) => ({ name, type })),
    };
  }

  private group(tree: Tree, columns: readonly Column[], frames: Frames): Typed {
    const key = this.pick(columns);
    const of = this.pick(columns);
    return {
      tree: [
        'group',
        tree,
        [['k', ['col', key.name]]],
        [
          ['n', ['count']],
          ['lo', ['min', this.column(of.type, frames, 0)]],
          ['hi', ['max', ['col', of.name]]],
        ],
      ],
      columns: [
        { name: 'k', type: key.type },
        { name: 'n', type: 'int64' },
        { name: 'lo', type: of.type },
        { name: 'hi', type: of.type },
      ],
    };
  }

  private join(left: Typed, depth: number, around: Frames): Typed {
    const right = this.typed(depth - 1, around);
    const frames: Frames = [[left.columns, right.columns], ...around];
    const on = this.bool(1, frames, 0);
    const sides = [left.columns, right.columns].flatMap((columns, side) =>
      columns.slice(0, 2).map((column, i) => ({ ...column, as: `${side ? 'r' : 'l'}${i}`, side })),
    );
    return {
      tree: [
        'select',
        [this.pick(['join', 'leftJoin']), left.tree, right.tree, on],
        sides.map(({ as, name, side }) => [as, ['col', name, side]]),
      ],
      columns: sides.map(({ as, type }) => ({ name: as, type })),
    };
  }

  private column(type: Type, frames: Frames, upMax = frames.length - 1): unknown {
    const all = frames
      .slice(0, upMax + 1)
      .flatMap((sides, up) =>
        sides.flatMap((columns, side) =>
          columns.filter((one) => one.type === type).map((one) => ['col', one.name, side, up]),
        ),
      );
    return all.length > 0 ? this.pick(all) : ['lit', type, this.pick(values[type])];
  }

  private expression(type: Type, size: number, frames: Frames, depth: number): unknown {
    if (type === 'bool') return this.bool(size, frames, depth);
    if (size === 0) return this.column(type, frames);
    const less = () => this.expression(type, size - 1, frames, depth);
    switch (this.below(6)) {
      case 0:
        if (type !== 'text')
          return [this.pick(['add', 'sub', 'mul']), less(), this.pick(values[type])];
        return ['orElse', less(), this.pick(values[type])];
      case 1:
        return ['when', [[this.bool(1, frames, 0), less()]], less()];
      case 2:
        return ['orElse', less(), less()];
      case 3:
        if (depth > 1 && type === 'int64') return ['count', this.inner(frames)];
        return this.column(type, frames);
      default:
        return this.column(type, frames);
    }
  }

  private bool(size: number, frames: Frames, depth: number): unknown {
    const type = this.pick(['int64', 'float64', 'text'] as const);
    const left = this.column(type, frames);
    if (size > 0 && this.below(3) === 0) {
      const [a, b] = [this.bool(size - 1, frames, depth), this.bool(size - 1, frames, depth)];
      return this.pick([
        ['and', a, b],
        ['or', a, b],
        ['not', a],
      ]);
    }
    switch (this.below(7)) {
      case 0:
        return ['isNull', left];
      case 1:
        return ['in', left, Array.from({ length: this.below(20) }, () => this.pick(values[type]))];
      case 2:
        return [
          'same',
          left,
          this.pick([null, this.pick(values[type]), this.column(type, frames)]),
        ];
      case 3:
        if (depth > 1) return ['exists', this.inner(frames)];
        return ['isNotNull', left];
      case 4:
        if (type === 'text')
          return [this.pick(['startsWith', 'contains', 'match']), left, this.pick(['o', 'e*', ''])];
        return ['between', left, this.pick(values[type]), this.pick(values[type])];
      default:
        return [
          this.pick(['eq', 'ne', 'lt', 'lte', 'gt', 'gte']),
          left,
          this.pick([this.pick(values[type]), this.column(type, frames)]),
        ];
    }
  }

  /** Rows of a table by a test that may look at the rows around. */
  private inner(frames: Frames): Tree {
    const name = this.pick(Object.keys(tables));
    const columns = tables[name] as readonly Column[];
    return ['where', ['table', name], this.bool(1, [[columns], ...frames], 0)];
  }
}
