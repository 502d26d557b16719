/** TypeScript names for the objects of a schema. */

import {
  assignNames,
  camelCase,
  freeName,
  type Nameable,
  NameTaken,
  pascalCase,
  relationPlaces,
} from '../../model/assign-names.ts';
import type { ClientModel, ModelRelation, ModelTable } from '../../model/client-model.ts';
import { type Placed, type Target, TargetError } from '../../target/target.ts';

export interface TableNames {
  /** The member of `t`. */
  readonly member: string;
  /** The row type. The names `PostsNew`, `PostsPatch`, `PostsCols` and `PostsRels` contain it. */
  readonly type: string;
  /** By position. */
  readonly columns: readonly string[];
  readonly relations: readonly string[];
}

/** Suffixes of the type names of a table, as in `PostsNew`. */
const parts = ['', 'New', 'Patch', 'Cols', 'Rels'] as const;

/** Types of the language that the module uses, and names of the module itself. */
const ownTypes = ['Date', 'Uint8Array', 'Tables', 'Client', 'ClientOptions', 'Record', 'T'];

export function namesOf(model: ClientModel, target: Target): readonly TableNames[] {
  const members = namedBy(
    target.names,
    model.tables.map((table) => nameable(table, target)),
    memberOf(target),
  );
  const types = typesOf(
    members.map((name, i) => ({ name, id: (model.tables[i] as ModelTable).id })),
  );
  return model.tables.map((table, i) => ({
    member: members[i] as string,
    type: types[i] as string,
    columns: namedBy(
      target.names,
      table.columns.map(({ id, name }) => ({
        id,
        name,
        chosen: target.names.get(`${table.name}.${name}`)?.value,
      })),
      memberOf(target),
    ),
    relations: relationNames(model, table, target),
  }));
}

function nameable({ id, name }: ModelTable, { names }: Target): Nameable {
  return { id, name, chosen: names.get(name)?.value };
}

function memberOf({ naming }: Target): (name: string) => string {
  return naming === 'camel' ? (name) => camelCase(name) || name : (name) => name;
}

function namedBy(
  names: ReadonlyMap<string, Placed<string>>,
  things: readonly Nameable[],
  of: (name: string) => string,
): readonly string[] {
  try {
    return assignNames(things, { of, taken: new Set() });
  } catch (error) {
    if (!(error instanceof NameTaken)) throw error;
    const again = [...names.values()].filter(({ value }) => value === error.taken).at(-1);
    throw new TargetError(
      again?.at,
      `two objects would have the name ${JSON.stringify(error.taken)}`,
    );
  }
}

/** Returns the row types by position. A table reserves all names that contain its row type. */
function typesOf(
  tables: readonly { readonly name: string; readonly id: number }[],
): readonly string[] {
  const taken = new Set(ownTypes);
  return tables.map(({ name, id }) => {
    const isFree = (type: string) => !parts.some((part) => taken.has(type + part));
    const type = freeName(typeName(name), id, isFree);
    for (const part of parts) taken.add(type + part);
    return type;
  });
}

function typeName(name: string): string {
  const type = pascalCase(name);
  return /^\p{L}/u.test(type) ? type : `T${type}`;
}

/** Returns the names of the relations of a table. If a name is already taken, the relation gets the name of its foreign key. */
function relationNames(model: ClientModel, table: ModelTable, target: Target): readonly string[] {
  const of = memberOf(target);
  const used = new Set<string>();
  const chosen = table.relations.map(
    ({ key, direction }) => target.relations.get(key)?.value[relationPlaces[direction]],
  );
  chosen.forEach((name, i) => {
    if (name === undefined) return;
    const { key } = table.relations[i] as ModelRelation;
    if (used.has(name)) {
      throw new TargetError(
        target.relations.get(key)?.at,
        `two relations of ${table.name} would be called ${JSON.stringify(name)}`,
      );
    }
    used.add(name);
  });
  return table.relations.map(({ name, key, keyTable }, i) => {
    const given = chosen[i];
    if (given !== undefined) return given;
    const { id } = model.tables[keyTable] as ModelTable;
    const tries = [of(name), of(key), `${of(key)}_${id}`];
    for (let turn = 2; ; turn++) {
      const free = tries.find((one) => !used.has(one));
      if (free !== undefined) {
        used.add(free);
        return free;
      }
      tries.push(`${of(key)}_${id}_${turn}`);
    }
  });
}
