/** What a generated module brings for its client. */

import type { Generated, KnownTable } from '../client/seam.ts';
import type { Code, TableInfo } from '../table-info.ts';
import { nullableFlag } from '../table-info.ts';
import { typeOf } from '../wire/codec.ts';
import { compile, prepare } from './compile.ts';
import { pageOf } from './page.ts';

/** Version and hash of the accepted schema, and its tables. */
export function generatedOf(version: number, hash: string, infos: readonly TableInfo[]): Generated {
  return { version, hash, tables: infos.map(knownTable), compile, prepare, page: pageOf };
}

function knownTable([name, columns, keys]: TableInfo): KnownTable {
  return {
    name,
    columns: columns.map(([column, code, flags, , format = labels[code]]) => ({
      name: column,
      type: typeOf(code),
      format,
      nullable: (flags & nullableFlag) !== 0,
    })),
    keys: keys.map((key) => key.map((position) => columns[position]?.[0] as string)),
  };
}

const labels: Readonly<Partial<Record<Code, string>>> = {
  ...{ u: 'uuid', l: 'ulid', d: 'xid', D: 'unix_ms' },
};
