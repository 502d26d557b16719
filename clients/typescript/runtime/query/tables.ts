/** The tables that applications start from: `t.posts`. */

import type { TableInfo } from '../table-info.ts';
import type { Ex } from './parts.ts';
import { Q } from './query.ts';
import {
  byKey,
  insert,
  insertMany,
  type Program,
  remove,
  update,
  upsert,
  type Write,
  writeFrom,
} from './statement.ts';
import {
  type Call,
  type Column,
  type Row,
  type Schema,
  schemaOf,
  type TableShape,
} from './table.ts';

/** A query of all rows, and what else tables can do. */
class TableQ extends Q {
  private readonly schema: Schema;
  private readonly table: TableShape;

  constructor(schema: Schema, table: TableShape) {
    super({ kind: 'scan', schema, table });
    this.schema = schema;
    this.table = table;
  }

  /** What prepared queries take for columns. */
  get params(): Record<string, unknown> {
    return Object.fromEntries(
      this.table.columns.map(({ member, code, nullable }) => [member, { code, nullable }]),
    );
  }

  get(key: Row): Q {
    const predicate = byKey(this.table, key);
    const more = { card: 'maybe', isSingle: true } as const;
    return new Q({ kind: 'where', input: this, predicate }, more);
  }

  by(key: Row): Q {
    return this.get(key);
  }

  getMany(keys: Iterable<Row>): Q {
    const columns = this.table.keys[0] as readonly Column[];
    const of = (row: unknown) =>
      Object.fromEntries(columns.map(({ member }) => [member, (row as Row)[member] as Ex]));
    return this.whereIn(of, keys);
  }

  insert(row: Row): Write {
    return insert(this.schema, this.table, row);
  }

  insertMany(rows: readonly Row[]): Write | Program {
    return insertMany(this.schema, this.table, rows);
  }

  insertFrom(from: Q, fields: Call): Write {
    return writeFrom('create', this.schema, this.table, from, fields);
  }

  insertIgnore(rows: readonly Row[], on?: readonly string[]): Program {
    return upsert(this.schema, this.table, rows, on === undefined ? {} : { on }, false);
  }

  upsert(rows: readonly Row[], merge: Parameters<typeof upsert>[3] = {}): Program {
    return upsert(this.schema, this.table, rows, merge, true);
  }

  update(key: Row, set: Row | ((...row: readonly unknown[]) => Row)): Write {
    return update(this.schema, this.table, this.get(key), set, 'maybe');
  }

  updateWhere(predicate: Call, set: Row | ((...row: readonly unknown[]) => Row)): Write {
    return update(this.schema, this.table, this.where(predicate), set);
  }

  updateFrom(from: Q, fields: Call): Write {
    return writeFrom('update', this.schema, this.table, from, fields);
  }

  delete(key: Row): Write {
    return remove(this.schema, this.table, this.get(key), 'maybe');
  }

  deleteWhere(predicate: Call): Write {
    return remove(this.schema, this.table, this.where(predicate));
  }
}

/** By the members of `t`. */
export function tablesOf(infos: readonly TableInfo[]): Record<string, TableQ> {
  const schema = schemaOf(infos);
  return Object.fromEntries(
    schema.map((table) => [table.info[4] ?? table.name, new TableQ(schema, table)]),
  );
}
