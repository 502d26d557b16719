/** The part of `pg-cursor` that the scenarios use. The package contains no types. */

declare module 'pg-cursor' {
  import type { QueryConfigValues, Submittable } from 'pg';

  class Cursor<Row = Record<string, unknown>> implements Submittable {
    constructor(
      text: string,
      values?: QueryConfigValues<unknown[]>,
      config?: { rowMode?: 'array' },
    );
    submit(connection: unknown): void;
    read(rowCount: number): Promise<Row[]>;
    close(): Promise<void>;
  }
  export = Cursor;
}
