/** Runs SQL on an engine in memory, without the wire. */

import { loadModule, parseSync } from 'libpg-query';
import type { CatalogMode } from '#catalog';
import type { Engine } from '#engine';
import type { Compiled, CompileSetting, SqlType, SqlValue, StatementValues } from '#sql';
import { compile } from '#sql';
import { checkProgram } from '#wire';
import { reportOf } from '../../../src/postgres/sqlstate/error-report.ts';
import { readText } from '../../../src/sql/types/read-text.ts';
import { typeByName } from '../../../src/sql/types/registry.ts';
import { writeText } from '../../../src/sql/types/write-text.ts';
import { memoryEngine } from '../../engine/support/memory-engine.ts';

export type SqlOutcome =
  | {
      readonly kind: 'done';
      readonly tag: string;
      /** Names and types of the columns; `undefined` if the statement returns no rows. */
      readonly columns: readonly { readonly name: string; readonly type: SqlType }[] | undefined;
      /** Cells in the text form of PostgreSQL. */
      readonly rows: readonly (readonly (string | null)[])[];
    }
  | {
      readonly kind: 'failed';
      readonly sqlstate: string;
      readonly message: string;
      readonly position?: number | undefined;
      readonly hint?: string | undefined;
      readonly detail?: string | undefined;
    };

export interface SqlSession {
  readonly engine: Engine;
  /** Runs one statement. Parameters are texts, whose types the statement decides unless `types` names them. */
  run(
    text: string,
    parameters?: readonly (string | null)[],
    types?: readonly (string | undefined)[],
  ): Promise<SqlOutcome>;
  /** Compiles a statement for the current catalog. */
  compile(text: string, types?: readonly (string | undefined)[]): Compiled;
  /** Runs statements of PIR one after the other, such as the creation of a table. */
  program(...statements: readonly object[]): Promise<void>;
}

const setting: Omit<CompileSetting, 'catalog'> = {
  mode: 'direct' satisfies CatalogMode,
  searchPath: ['public'],
  timeZone: 'UTC',
  unixMs: 'timestamptz',
};

/** Opens a session on an empty database. */
export async function openSql(): Promise<SqlSession> {
  await loadModule();
  const engine = await memoryEngine();
  const compiled = (text: string, types: readonly (string | undefined)[] = []): Compiled => {
    const [statement] = parseSync(text).stmts ?? [];
    const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)));
    const parameterTypes = Array.from({ length: count }, (_, at) => typeByName(types[at] ?? ''));
    return compile({
      node: statement?.stmt as NonNullable<typeof statement>['stmt'] & object,
      text,
      parameterTypes,
      literals: [],
      setting: { ...setting, catalog: engine.catalog },
    });
  };
  return {
    engine,
    compile: compiled,
    run: async (text, parameters = [], types = []) => {
      try {
        return await executed(engine, compiled(text, types), parameters);
      } catch (error) {
        const report = reportOf(error);
        if (report.defect !== undefined) throw error;
        const { sqlstate, message, position, hint, detail } = report;
        return { kind: 'failed', sqlstate, message, position, hint, detail };
      }
    },
    program: async (...statements) => {
      for (const statement of statements) {
        const program = checkProgram({ statements: [statement] });
        await engine.execute({ program: () => program });
      }
    },
  };
}

/** Values of a session at a fixed time. */
export function valuesOf(parameters: readonly SqlValue[]): StatementValues {
  return {
    parameters,
    literals: [],
    session: {
      transactionMs: Date.UTC(2024, 1, 29, 12),
      statementMs: Date.UTC(2024, 1, 29, 12),
      user: 'tester',
      database: 'svc',
      backendPid: 1,
      setting: (name) => (name === 'timezone' ? 'UTC' : undefined),
    },
  };
}

async function executed(
  engine: Engine,
  statement: Compiled,
  parameters: readonly (string | null)[],
): Promise<SqlOutcome> {
  const values = valuesOf(
    statement.parameters.map((type, at) => {
      const text = parameters[at] ?? null;
      return text === null ? null : readText(type, text, setting);
    }),
  );
  const { program } = statement.instantiate(values);
  // The grammar of the wire is the one that clients could use: the compiler makes nothing else.
  const checked = checkProgram(structuredClone(program));
  const { result, statements } = await engine.execute({ program: () => checked });
  const { columns, tag, counted } = statement;
  const rows = (columns === undefined ? [] : (result?.rows ?? [])).map((row) =>
    (columns ?? []).map(({ type, shape }, at) => {
      const cell = row[at] as SqlValue;
      if (cell === null) return null;
      if (shape.kind === 'array') {
        return writeText(
          type,
          (cell as readonly (readonly SqlValue[])[]).map(([one]) => one ?? null),
          setting,
        );
      }
      return type.element === undefined ? writeText(type, cell, setting) : String(cell);
    }),
  );
  const affected = statements
    .filter(({ name }) => counted?.includes(name))
    .reduce((sum, one) => sum + one.affected, 0);
  const count = counted === undefined ? rows.length : affected;
  const full = statement.isCounted ? `${tag === 'INSERT' ? 'INSERT 0' : tag} ${count}` : tag;
  return { kind: 'done', tag: full, columns, rows };
}
