/** Values of the session: the time, the user, the settings. */

import type { SQLValueFunction } from 'libpg-query';
import type { CompileSetting } from '../compile-input.ts';
import type { SqlValue, StatementValues } from '../compiled.ts';
import { isSchema } from '../ddl/table-name.ts';
import { sqlError } from '../sql-error.ts';
import { sqlTypes, typeByName } from '../types/registry.ts';
import type { SqlType } from '../types/sql-type.ts';
import { offsetAt } from '../types/time/zone.ts';
import { coerce } from './coerce.ts';
import type { Compilation, Env, Operand, Typed } from './compilation.ts';
import type { FunctionUse } from './scalar-functions.ts';

type Reading = (values: StatementValues, compilation: Compilation) => SqlValue;

interface SessionValue {
  readonly type: SqlType;
  readonly read: Reading;
}

const transactionTime: Reading = ({ session }) => session.transactionMs;
const user: SessionValue = { type: sqlTypes.name, read: ({ session }) => session.user };
const database: SessionValue = { type: sqlTypes.name, read: ({ session }) => session.database };
const schema: SessionValue = {
  type: sqlTypes.name,
  read: (_values, { input }) => existingSchemas(input.setting)[0] ?? null,
};

const dayMs = 86_400_000;

const localTime: Reading = ({ session }, { input }) =>
  session.transactionMs + offsetAt(input.setting.timeZone, session.transactionMs);

const keywords: Readonly<Record<string, SessionValue>> = {
  SVFOP_CURRENT_DATE: {
    type: sqlTypes.date,
    read: (values, compilation) =>
      Math.floor(Number(localTime(values, compilation)) / dayMs) * dayMs,
  },
  SVFOP_CURRENT_TIMESTAMP: { type: sqlTypes.timestamptz, read: transactionTime },
  SVFOP_CURRENT_TIMESTAMP_N: { type: sqlTypes.timestamptz, read: transactionTime },
  SVFOP_LOCALTIMESTAMP: { type: sqlTypes.timestamp, read: localTime },
  SVFOP_LOCALTIMESTAMP_N: { type: sqlTypes.timestamp, read: localTime },
  SVFOP_CURRENT_USER: user,
  SVFOP_CURRENT_ROLE: user,
  SVFOP_USER: user,
  SVFOP_SESSION_USER: user,
  SVFOP_CURRENT_CATALOG: database,
  SVFOP_CURRENT_SCHEMA: schema,
};

export function sessionValue({ compilation }: Env, { op, location }: SQLValueFunction): Typed {
  const found = keywords[op ?? ''];
  if (found === undefined) {
    throw compilation.unsupported('a time without a date', location, 'Use CURRENT_TIMESTAMP.');
  }
  return typedValue(compilation, found);
}

function typedValue(compilation: Compilation, { type, read }: SessionValue): Typed {
  return compilation.value(type, (values) => read(values, compilation), type === sqlTypes.name);
}

/** The version of PostgreSQL whose behavior svc has. Drivers parse the text. */
const version = 'PostgreSQL 15.0 (svc)';

const functions: Readonly<Record<string, SessionValue>> = {
  now: { type: sqlTypes.timestamptz, read: transactionTime },
  transaction_timestamp: { type: sqlTypes.timestamptz, read: transactionTime },
  statement_timestamp: { type: sqlTypes.timestamptz, read: ({ session }) => session.statementMs },
  version: { type: sqlTypes.text, read: () => version },
  current_database: database,
  current_schema: schema,
  // svc has no advisory locks, so a session holds none. Pools call this function.
  pg_advisory_unlock_all: { type: sqlTypes.void, read: () => '' },
  pg_backend_pid: { type: sqlTypes.int4, read: ({ session }) => session.backendPid },
};

/** Compiles the call of a function of the session; `undefined` if the function is not one. */
export function sessionFunction(
  env: Env,
  { name, args, location }: FunctionUse,
): Typed | undefined {
  const { compilation } = env;
  const found = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (found !== undefined && args.length === 0) return typedValue(compilation, found);
  if (name === 'current_setting' && (args.length === 1 || args.length === 2)) {
    return currentSetting(env, { name, args, location });
  }
  if (name === 'set_config' && args.length === 3) return setConfig(env, { name, args, location });
  return name === 'current_schemas' && args.length === 1
    ? currentSchemas(env, { name, args, location })
    : undefined;
}

/** Returns the schemas of `search_path` that exist. */
function existingSchemas({ catalog, searchPath }: CompileSetting): readonly string[] {
  return searchPath.filter((schema) => isSchema(catalog, schema));
}

function currentSetting({ compilation }: Env, { args, location }: FunctionUse): Typed {
  const [setting, missing] = [sqlTypes.text, sqlTypes.bool].map((type, at) => {
    const arg = args[at];
    return arg && coerce(compilation, arg, type, 'implicit').source;
  });
  if (setting === undefined || (args.length === 2 && missing === undefined)) {
    throw compilation.unsupported('current_setting of a name that is not constant', location);
  }
  return compilation.value(
    sqlTypes.text,
    (values) => {
      const name = setting(values);
      if (name === null) return null;
      const value = values.session.setting((name as string).toLowerCase());
      if (value !== undefined) return value;
      if (missing?.(values) === true) return null;
      throw sqlError('42704', `unrecognized configuration parameter "${name}"`);
    },
    true,
  );
}

/** Compiles `set_config`, whose effect the session applies before the statement runs. */
function setConfig({ compilation }: Env, { args, location }: FunctionUse): Typed {
  const [name, value, isLocal] = [sqlTypes.text, sqlTypes.text, sqlTypes.bool].map(
    (type, at) => coerce(compilation, args[at] as Operand, type, 'implicit').source,
  );
  const local = isLocal?.({ parameters: [], literals: [], session: {} as never });
  if (name === undefined || value === undefined || typeof local !== 'boolean') {
    throw compilation.unsupported('set_config of values that are not constant', location);
  }
  compilation.effects.push({
    isLocal: local,
    name: (values) => String(name(values)),
    value: (values) => String(value(values) ?? ''),
  });
  return compilation.value(sqlTypes.text, (values) => value(values) ?? '', false);
}

function currentSchemas({ compilation }: Env, { args, location }: FunctionUse): Typed {
  const { source } = coerce(compilation, args[0] as Operand, sqlTypes.bool, 'implicit');
  if (source === undefined) {
    throw compilation.unsupported('current_schemas of a value that is not constant', location);
  }
  return compilation.value(
    typeByName('_name') as SqlType,
    (values) => {
      const schemas = existingSchemas(compilation.input.setting);
      return source(values) === true ? ['pg_catalog', ...schemas] : schemas;
    },
    false,
  );
}
