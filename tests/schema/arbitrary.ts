/** Random schemas with small ids, so that two of them have objects in common. */

import fc from 'fast-check';
import type {
  ColumnDefault,
  ColumnDefinition,
  DeclaredTable,
  ForeignKeyDefinition,
  IndexDefinition,
} from '#catalog';
import { foreignKeyActions } from '#catalog';
import { formatIdentifier, type ScalarType, scalarTypes } from '#value';

interface Naming {
  readonly table: fc.Arbitrary<string>;
  readonly column: fc.Arbitrary<string>;
  readonly label: fc.Arbitrary<string>;
}

const awkward = fc.oneof(
  fc.constantFrom('true', 'null', '~', '1', '1.0', 'a: b', '# c', '-', "it's", '"q"', ' x ', '- a'),
  fc.constantFrom('é', '\u2028', '\ufeff', '😀', 'uuid', 'ulid', 'yes', '0x1', '.inf', '[a]', '*a'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }).filter(isName),
);
const word = (...words: string[]) => fc.constantFrom(...words);

/** Names as people give them. */
export const plainNaming: Naming = {
  table: word('users', 'posts', 'tags', 'likes', 'a', 'b'),
  column: word('id', 'name', 'age', 'a', 'b', 'c', 'd'),
  label: word('uuid', 'ulid', 'xid', 'unix_ms', 'email'),
};

/** Whatever a name may be. */
export const anyNaming: Naming = { table: awkward, column: awkward, label: awkward };

function isName(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are not allowed in names
  return text.isWellFormed() && !/[\u0000-\u001f\u007f-\u009f]/.test(text);
}

export function schemaOf(naming: Naming): fc.Arbitrary<readonly DeclaredTable[]> {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { maxLength: 4 });
  return fc
    .tuple(ids, fc.uniqueArray(naming.table, { minLength: 4, maxLength: 4 }))
    .chain(([tableIds, names]) =>
      fc.tuple(...tableIds.map((id, i) => tableOf(naming, id, names[i] as string))),
    )
    .chain((tables) => fc.tuple(...tables.map((table) => withKeys(table, tables))));
}

function tableOf(naming: Naming, id: number, name: string): fc.Arbitrary<DeclaredTable> {
  return fc
    .tuple(
      fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 }),
      fc.uniqueArray(naming.column, { minLength: 5, maxLength: 5 }),
    )
    .chain(([ids, names]) =>
      fc.tuple(...ids.map((columnId, i) => columnOf(naming, columnId, names[i] as string))),
    )
    .chain((columns) => withPrimaryKey(columns).map((keyed) => ({ id, name, ...keyed })))
    .chain((table) => indexesOf(table).map((indexes) => ({ ...table, indexes })));
}

function columnOf(naming: Naming, id: number, name: string): fc.Arbitrary<ColumnDefinition> {
  return fc
    .record({
      type: fc.constantFrom(...scalarTypes),
      nullable: fc.boolean(),
      format: fc.option(naming.label, { nil: undefined, freq: 3 }),
    })
    .chain(({ type, nullable, format }) =>
      fc.option(defaultOf(type, format), { nil: undefined, freq: 2 }).map((given) => ({
        id,
        name,
        type,
        nullable,
        ...(format !== undefined && { format }),
        ...(given !== undefined && { default: given }),
      })),
    );
}

function defaultOf(type: ScalarType, format: string | undefined): fc.Arbitrary<ColumnDefault> {
  const literal = literals(type, format).map(
    (value): ColumnDefault => ({ kind: 'literal', value }),
  );
  const funcs = generators[type === 'bytes' ? `bytes ${format}` : type];
  if (funcs === undefined) return literal;
  return fc.oneof(
    literal,
    fc.constantFrom(...funcs).map((func) => ({ kind: 'generator', func }) as const),
  );
}

const generators: Readonly<
  Record<string, readonly ('uuid_v4' | 'uuid_v7' | 'ulid' | 'xid' | 'now_ms')[]>
> = {
  'bytes uuid': ['uuid_v4', 'uuid_v7'],
  'bytes ulid': ['ulid'],
  'bytes xid': ['xid'],
  int64: ['now_ms'],
};

function literals(
  type: ScalarType,
  format: string | undefined,
): fc.Arbitrary<string | number | bigint | boolean> {
  switch (type) {
    case 'text':
      return awkward.filter((text) => !/^[a-z_0-9]+\(\)$/.test(text));
    case 'int64':
      return fc.oneof(
        fc.integer(),
        fc.constantFrom(0, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n),
      );
    case 'float64':
      return fc.oneof(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constantFrom(0, 1, 1e16, 1e300, 5e-324, 2 ** 53),
      );
    case 'bool':
      return fc.boolean();
    case 'bytes':
      if (format === 'uuid' || format === 'ulid' || format === 'xid') {
        const length = format === 'xid' ? 12 : 16;
        return fc
          .uint8Array({ minLength: length, maxLength: length })
          .map((bytes) => formatIdentifier(format, bytes));
      }
      return fc.uint8Array({ maxLength: 5 }).map((bytes) => bytes.toBase64());
  }
}

type Keyed = Pick<DeclaredTable, 'columns' | 'primary_key'>;

function withPrimaryKey(columns: readonly ColumnDefinition[]): fc.Arbitrary<Keyed> {
  return fc
    .shuffledSubarray([...columns], { minLength: 1, maxLength: Math.min(2, columns.length) })
    .map((key) => ({
      columns: columns.map((column) =>
        key.includes(column) ? { ...column, nullable: false } : column,
      ),
      primary_key: key.map(({ name }) => name),
    }));
}

function indexesOf(table: DeclaredTable): fc.Arbitrary<readonly IndexDefinition[]> {
  const names = table.columns.map(({ name }) => name);
  const index = fc
    .tuple(
      fc.shuffledSubarray(names, { minLength: 1 }),
      fc.boolean(),
      fc.constantFrom('', 'x', 'y'),
    )
    .map(([columns, unique, given]) => {
      const generated = `${table.name}_${columns.join('_')}_${unique ? 'uq' : 'idx'}`;
      return { name: given === '' ? generated : given, columns, unique };
    });
  return fc.uniqueArray(index, { maxLength: 2, selector: ({ name }) => name });
}

/** Up to one foreign key to a table whose key has columns of the same types here. */
function withKeys(
  table: DeclaredTable,
  tables: readonly DeclaredTable[],
): fc.Arbitrary<DeclaredTable> {
  const candidates = tables.flatMap((target) => keysTo(table, target));
  if (candidates.length === 0) return fc.constant(table);
  return fc
    .option(fc.constantFrom(...candidates), { nil: undefined, freq: 2 })
    .map((key) => ({ ...table, foreign_keys: key === undefined ? [] : [key] }));
}

function keysTo(table: DeclaredTable, target: DeclaredTable): readonly ForeignKeyDefinition[] {
  const typeIn = (of: DeclaredTable, name: string) => of.columns.find((c) => c.name === name)?.type;
  const taken = new Set<string>();
  const columns = target.primary_key.map((name) => {
    const own = table.columns.find(
      (column) => column.type === typeIn(target, name) && !taken.has(column.name),
    );
    taken.add(own?.name ?? '');
    return own;
  });
  if (columns.some((column) => column === undefined)) return [];
  const own = columns as readonly ColumnDefinition[];
  const names = own.map(({ name }) => name);
  const canClear = own.every((c) => c.nullable && !table.primary_key.includes(c.name));
  const name = names.length === 1 ? `${table.name}_${names[0]}_fk` : 'fk';
  return foreignKeyActions
    .filter((action) => action !== 'set_null' || canClear)
    .map((on_delete) => ({
      name,
      columns: names,
      ref_table: target.name,
      ref_columns: target.primary_key,
      on_delete,
    }));
}
