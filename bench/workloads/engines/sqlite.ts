/** SQLite in this process: WAL, a cache of 256 MiB, and one transaction for the rows of a table. */

import { Database } from 'bun:sqlite';
import type { Cell } from '../tables.ts';
import type { Engine } from './engine.ts';
import { createIndex, createTable, dropIndex } from './sql.ts';

export function sqlite(file: string): Engine {
  const database = new Database(file);
  database.run('pragma journal_mode = wal');
  database.run('pragma cache_size = -262144');
  return {
    name: 'sqlite',
    load: async (table, indexes = []) => {
      database.run(createTable(table, 'integer'));
      for (const columns of indexes) database.run(createIndex(table, columns));
      const places = table.columns.map(() => '?').join(', ');
      const insert = database.prepare(`insert into ${table.name} values (${places})`);
      database.transaction(() => {
        for (let id = 0; id < table.count; id++) insert.run(...(table.row(id) as Cell[]));
      })();
    },
    addIndex: async (table, columns) => {
      database.run(createIndex(table, columns));
    },
    dropIndex: async (table, columns) => {
      database.run(dropIndex(table, columns));
    },
    ask: (question, turn) => database.query(question.sql(turn, 'sqlite')).all(),
    [Symbol.asyncDispose]: async () => database.close(),
  };
}
