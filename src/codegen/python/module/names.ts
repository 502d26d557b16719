/** Python names for the objects of a schema. */

import {
  assignNames,
  freeName,
  type Nameable,
  NameTaken,
  pascalCase,
  relationPlaces,
} from '../../model/assign-names.ts';
import type { ClientModel, ModelTable } from '../../model/client-model.ts';
import { type Placed, type Target, TargetError } from '../../target/target.ts';
import { runtimeNames } from '../runtime-text.ts';

export interface TableNames {
  /** The variable that applications start from. */
  readonly variable: string;
  /** The row type. The names `PostsNew` and so on contain it. */
  readonly type: string;
  /** By position. */
  readonly columns: readonly string[];
  readonly relations: readonly string[];
}

/** Suffixes of the class names of a table, as in `PostsNew`. */
const parts = ['', 'New', 'Patch', 'Cols', 'Outer', 'Key', 'Unique', 'Id'] as const;

const keywords = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if import in is ' +
    'lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
);

/** Names that annotations of the generated module use. No member of a class may hide them. */
const builtins = ['int', 'str', 'bool', 'float', 'bytes', 'dict', 'list', 'tuple', 'type'];
const imported = [
  ...['svc', 'UUID', 'datetime', 'dataclass', 'Any', 'NewType', 'NotRequired', 'TypedDict'],
  ...['SCHEMA_VERSION', 'SCHEMA_HASH', 'annotations'],
];

/** Returns the names of the package's modules and of the objects that its users import. */
function takenOutside(): ReadonlySet<string> {
  return new Set([...builtins, ...imported, ...runtimeNames(), '_schema', '_tables', '_runtime']);
}

/**
 * Converts a name to a Python identifier. A character that is not a letter or digit becomes `_`. A keyword gets the suffix `_`. A name whose first character is
 * not a letter gets the prefix `f_`.
 */
function pythonName(name: string): string {
  const plain = name.normalize('NFKC').replace(/[^\p{XID_Continue}]/gu, '_');
  const begun = /^\p{L}/u.test(plain) && /^\p{XID_Start}/u.test(plain) ? plain : `f_${plain}`;
  return keywords.has(begun) ? `${begun}_` : begun;
}

/** Converts a name to the name of a class: `blog_posts` becomes BlogPosts. */
function typeName(name: string): string {
  const plain = pascalCase(name)
    .normalize('NFKC')
    .replace(/[^\p{XID_Continue}]/gu, '_');
  return /^\p{XID_Start}/u.test(plain) ? plain : `T${plain}`;
}

/** Returns the names of all tables, by position. Throws TargetError for a chosen name that is already taken. */
export function namesOf(model: ClientModel, target: Target): readonly TableNames[] {
  const taken = new Set([...takenOutside(), ...keywords]);
  const types = new Map<ModelTable, string>();
  for (const table of [...model.tables].sort((a, b) => a.id - b.id)) {
    const plain = typeName(target.names.get(table.name)?.value ?? table.name);
    const isFree = (name: string) => !parts.some((part) => taken.has(name + part));
    const type = freeName(plain, table.id, isFree);
    for (const part of parts) taken.add(type + part);
    types.set(table, type);
  }
  const variables = named(
    target.names,
    model.tables.map(({ id, name }) => ({ id, name, chosen: target.names.get(name)?.value })),
    taken,
  );
  // An attribute that every class has would be taken for the default value of the field.
  const hidden = new Set([...builtins, ...imported, 'mro']);
  return model.tables.map((table, i) => {
    const columns = named(
      target.names,
      table.columns.map(({ id, name }) => ({
        id,
        name,
        chosen: target.names.get(`${table.name}.${name}`)?.value,
      })),
      hidden,
    );
    return {
      variable: variables[i] as string,
      type: types.get(table) as string,
      columns,
      relations: relationNames(table, target, new Set([...hidden, ...columns])),
    };
  });
}

function named(
  names: ReadonlyMap<string, Placed<string>>,
  things: readonly Nameable[],
  taken: ReadonlySet<string>,
): readonly string[] {
  const chosen = things.map((thing) => ({
    ...thing,
    chosen: thing.chosen === undefined ? undefined : pythonName(thing.chosen),
  }));
  try {
    return assignNames(chosen, { of: pythonName, taken });
  } catch (error) {
    if (!(error instanceof NameTaken)) throw error;
    const again = [...names.values()]
      .filter(({ value }) => pythonName(value) === error.taken)
      .at(-1);
    throw new TargetError(again?.at, `${JSON.stringify(error.taken)} is taken in Python`);
  }
}

/**
 * Returns the names of the relations of a table, which differ from its column names. If a name is already taken, the relation gets the name of its foreign key.
 */
function relationNames(
  { name: table, relations }: ModelTable,
  target: Target,
  taken: Set<string>,
): readonly string[] {
  return relations.map(({ name, key, direction }) => {
    const rule = target.relations.get(key);
    const chosen = rule?.value[relationPlaces[direction]];
    if (chosen !== undefined && taken.has(pythonName(chosen))) {
      throw new TargetError(rule?.at, `${chosen} for ${key} is taken in ${table}`);
    }
    const plain = pythonName(chosen ?? name);
    let found = taken.has(plain) ? pythonName(key) : plain;
    for (let turn = 2; taken.has(found); turn++) found = `${pythonName(key)}_${turn}`;
    taken.add(found);
    return found;
  });
}
