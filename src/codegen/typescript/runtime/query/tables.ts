/** The tables that applications start from: `t.posts`. */

import type { TableInfo } from '../table-info.ts';
import type { Ex } from './expression.ts';
import { Q } from './query.ts';
import * as write from './statement.ts';
import { type Column, type Schema, schemaOf, type Table } from './table.ts';

type Row = Readonly<Record<string, unknown>>;
type Call = (...parts: readonly unknown[]) => unknown;

/** A query of all rows, and what else tables can do. */
class TableQ extends Q {
  private readonly schema: Schema;
  private readonly table: Table;

  constructor(schema: Schema, table: Table) {
    super('scan', [], { schema, table });
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
    const predicate = write.byKey(this.table, key);
    return new Q('where', [this], { predicate }, { card: 'maybe', isSingle: true });
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

  insert(row: Row): write.Write {
    return write.insert(this.schema, this.table, row);
  }

  insertMany(rows: readonly Row[]): write.Write | write.Program {
    return write.insertMany(this.schema, this.table, rows);
  }

  insertFrom(from: Q, fields: Call): write.Write {
    return write.writeFrom('create', this.schema, this.table, from, fields);
  }

  insertIgnore(rows: readonly Row[], on?: readonly string[]): write.Program {
    return write.upsert(this.schema, this.table, rows, on === undefined ? {} : { on }, false);
  }

  upsert(rows: readonly Row[], merge: Parameters<typeof write.upsert>[3] = {}): write.Program {
    return write.upsert(this.schema, this.table, rows, merge, true);
  }

  update(key: Row, set: Row | ((...row: readonly unknown[]) => Row)): write.Write {
    return write.update(this.schema, this.table, this.get(key), set, 'maybe');
  }

  updateWhere(predicate: Call, set: Row | ((...row: readonly unknown[]) => Row)): write.Write {
    return write.update(this.schema, this.table, this.where(predicate), set);
  }

  updateFrom(from: Q, fields: Call): write.Write {
    return write.writeFrom('update', this.schema, this.table, from, fields);
  }

  delete(key: Row): write.Write {
    return write.remove(this.schema, this.table, this.get(key), 'maybe');
  }

  deleteWhere(predicate: Call): write.Write {
    return write.remove(this.schema, this.table, this.where(predicate));
  }
}

/** By the name of the table. */
export function tablesOf(infos: readonly TableInfo[]): Record<string, TableQ> {
  const schema = schemaOf(infos);
  return Object.fromEntries(schema.map((table) => [table.name, new TableQ(schema, table)]));
}
