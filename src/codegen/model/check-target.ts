/** Checks that the schema contains every name in the configuration of a client. */

import { near } from '../target/read-targets.ts';
import { type Placed, type Target, TargetError } from '../target/target.ts';
import type { ClientModel, ModelColumn } from './client-model.ts';

/** Throws TargetError for an unknown name, or for a rule that does not match the type of its column. */
export function checkTarget(model: ClientModel, target: Target): void {
  const columns = new Map(
    model.tables.flatMap((table) =>
      table.columns.map((column) => [`${table.name}.${column.name}` as string, column] as const),
    ),
  );
  const tables = model.tables.map(({ name }) => name);
  const keys = model.tables.flatMap(({ relations }) => relations.map(({ key }) => key));
  for (const [name, { value, at }] of known('column', target.columns, [...columns.keys()])) {
    const { type } = columns.get(name) as ModelColumn;
    if (value.int64 !== undefined && type !== 'int64') {
      throw new TargetError(at, `${name} has type ${type}: ${value.int64} requires int64`);
    }
    if (value.json !== undefined && type !== 'text') {
      throw new TargetError(at, `${name} has type ${type}: json requires text`);
    }
  }
  known('table or column', target.names, [...tables, ...columns.keys()]);
  for (const [name, { value, at }] of known('foreign key', target.relations, keys)) {
    const isBetween = model.tables.some(({ relations }) =>
      relations.some(({ key, direction }) => key === name && direction === 'through'),
    );
    if (value.length < 3 || isBetween) continue;
    throw new TargetError(
      at,
      `the table of ${name} does more than join two other tables; write two names`,
    );
  }
}

function known<T>(
  what: string,
  given: ReadonlyMap<string, Placed<T>>,
  names: readonly string[],
): ReadonlyMap<string, Placed<T>> {
  for (const [name, { at }] of given) {
    if (names.includes(name)) continue;
    throw new TargetError(at, `there is no ${what} ${JSON.stringify(name)}${near(name, names)}`);
  }
  return given;
}
