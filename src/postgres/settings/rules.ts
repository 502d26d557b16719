/** The settings of a session: their defaults, and which values they accept. */

import { sqlError, timeZoneName } from '#sql';

export interface SettingRule {
  /** The name as SHOW prints it. */
  readonly name: string;
  readonly initial: string;
  /** Whether the client learns each change. */
  readonly isReported?: boolean;
  /** Whether only the server sets it. */
  readonly isFixed?: boolean;
  /** Returns the value as SHOW prints it, or `undefined` if it is not valid. */
  readonly read: (value: string) => string | undefined;
}

const anyText = (value: string) => value;

const on: readonly string[] = ['on', 'true', 'yes', '1', 'tru', 'tr', 't', 'ye', 'y'];
const off: readonly string[] = ['off', 'false', 'no', '0', 'of', 'fals', 'fal', 'fa', 'f', 'n'];

function flag(value: string): string | undefined {
  const text = value.toLowerCase();
  if (on.includes(text)) return 'on';
  return off.includes(text) ? 'off' : undefined;
}

function oneOf(...values: readonly string[]): SettingRule['read'] {
  return (value) => {
    const text = value.toLowerCase();
    return values.includes(text) ? text : undefined;
  };
}

const units: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Returns milliseconds; `undefined` if the text is not a time. A number without a unit is in milliseconds. */
export function millisecondsOf(value: string): number | undefined {
  const found = /^\s*([+-]?\d+(?:\.\d+)?)\s*(us|ms|s|min|h|d)?\s*$/.exec(value);
  if (found === null) return undefined;
  const ms = Math.round(Number(found[1]) * (units[found[2] ?? 'ms'] as number));
  return ms >= 0 && ms < 2 ** 31 ? ms : undefined;
}

/** Prints a time in the largest unit that shows it exactly, as PostgreSQL does. */
function time(value: string): string | undefined {
  const ms = millisecondsOf(value);
  if (ms === undefined || ms === 0) return ms === undefined ? undefined : '0';
  for (const unit of ['d', 'h', 'min', 's'] as const) {
    const size = units[unit] as number;
    if (ms % size === 0) return `${ms / size}${unit}`;
  }
  return `${ms}ms`;
}

function dateStyle(value: string): string | undefined {
  const parts = value.toLowerCase().split(/[\s,]+/);
  const isIso = parts.every((part) =>
    ['iso', 'mdy', 'us', 'noneuro', 'noneuropean'].includes(part),
  );
  return isIso ? 'ISO, MDY' : undefined;
}

/** Reads the letters and digits of the name only, as PostgreSQL does: asyncpg sends it in quotes. */
function encoding(value: string): string | undefined {
  return /^(?:utf8|unicode)$/i.test(value.replaceAll(/[^\da-z]/gi, '')) ? 'UTF8' : undefined;
}

function whole(min: number, max: number): SettingRule['read'] {
  return (value) => {
    const number = Number(value);
    return /^\s*[+-]?\d+\s*$/.test(value) && number >= min && number <= max
      ? `${number}`
      : undefined;
  };
}

const isolation = oneOf('serializable', 'repeatable read', 'read committed', 'read uncommitted');
/** Every level is accepted, and all transactions are serializable. */
const serializable: SettingRule['read'] = (value) => isolation(value) && 'serializable';
const levels = oneOf(
  'debug5',
  'debug4',
  'debug3',
  'debug2',
  'debug1',
  'debug',
  'log',
  'info',
  'notice',
  'warning',
  'error',
);

const rules: readonly SettingRule[] = [
  // With an effect.
  { name: 'TimeZone', initial: 'UTC', isReported: true, read: timeZoneName },
  { name: 'application_name', initial: '', isReported: true, read: anyText },
  { name: 'search_path', initial: '"$user", public', read: anyText },
  { name: 'statement_timeout', initial: '0', read: time },
  { name: 'idle_in_transaction_session_timeout', initial: '0', read: time },
  { name: 'transaction_timeout', initial: '0', read: time },
  { name: 'lock_timeout', initial: '0', read: time },
  { name: 'default_transaction_read_only', initial: 'off', isReported: true, read: flag },
  { name: 'transaction_read_only', initial: 'off', read: flag },
  { name: 'bytea_output', initial: 'hex', read: oneOf('hex', 'escape') },
  { name: 'svc.unix_ms', initial: 'timestamptz', read: oneOf('timestamptz', 'int8') },
  // With one value, which clients ask for.
  { name: 'transaction_isolation', initial: 'serializable', read: serializable },
  { name: 'default_transaction_isolation', initial: 'serializable', read: serializable },
  { name: 'default_transaction_deferrable', initial: 'off', read: flag },
  { name: 'transaction_deferrable', initial: 'off', read: flag },
  { name: 'client_encoding', initial: 'UTF8', isReported: true, read: encoding },
  { name: 'DateStyle', initial: 'ISO, MDY', isReported: true, read: dateStyle },
  { name: 'IntervalStyle', initial: 'postgres', isReported: true, read: oneOf('postgres') },
  {
    name: 'standard_conforming_strings',
    initial: 'on',
    isReported: true,
    read: (v) => (flag(v) === 'on' ? 'on' : undefined),
  },
  // Stored and shown only.
  { name: 'extra_float_digits', initial: '1', read: whole(-15, 3) },
  { name: 'client_min_messages', initial: 'notice', read: levels },
  { name: 'jit', initial: 'off', read: flag },
  { name: 'work_mem', initial: '4MB', read: anyText },
  { name: 'maintenance_work_mem', initial: '64MB', read: anyText },
  { name: 'synchronous_commit', initial: 'on', read: anyText },
  { name: 'row_security', initial: 'on', read: flag },
  { name: 'check_function_bodies', initial: 'on', read: flag },
  { name: 'default_tablespace', initial: '', read: anyText },
  { name: 'escape_string_warning', initial: 'on', read: flag },
  { name: 'backslash_quote', initial: 'safe_encoding', read: anyText },
  { name: 'default_table_access_method', initial: 'heap', read: anyText },
  { name: 'geqo', initial: 'on', read: flag },
  { name: 'lc_messages', initial: 'C', read: anyText },
  { name: 'lc_monetary', initial: 'C', read: anyText },
  { name: 'lc_numeric', initial: 'C', read: anyText },
  { name: 'lc_time', initial: 'C', read: anyText },
  { name: 'plan_cache_mode', initial: 'auto', read: anyText },
  { name: 'tcp_keepalives_idle', initial: '0', read: whole(0, 2 ** 31 - 1) },
  { name: 'tcp_keepalives_interval', initial: '0', read: whole(0, 2 ** 31 - 1) },
  { name: 'xmloption', initial: 'content', read: anyText },
  // Set by the server.
  { name: 'server_version', initial: '15.0', isReported: true, isFixed: true, read: anyText },
  { name: 'server_version_num', initial: '150000', isFixed: true, read: anyText },
  { name: 'server_encoding', initial: 'UTF8', isReported: true, isFixed: true, read: anyText },
  { name: 'integer_datetimes', initial: 'on', isReported: true, isFixed: true, read: anyText },
  { name: 'is_superuser', initial: 'off', isReported: true, isFixed: true, read: anyText },
  { name: 'session_authorization', initial: '', isReported: true, isFixed: true, read: anyText },
  { name: 'in_hot_standby', initial: 'off', isReported: true, isFixed: true, read: anyText },
  { name: 'max_identifier_length', initial: '63', isFixed: true, read: anyText },
  { name: 'max_index_keys', initial: '32', isFixed: true, read: anyText },
  { name: 'block_size', initial: '8192', isFixed: true, read: anyText },
  { name: 'lc_collate', initial: 'C', isFixed: true, read: anyText },
  { name: 'lc_ctype', initial: 'C', isFixed: true, read: anyText },
];

const byName = new Map(rules.map((rule) => [rule.name.toLowerCase(), rule]));

/** The settings that the client learns. */
export const reportedRules: readonly SettingRule[] = rules.filter(({ isReported }) => isReported);
export const allRules = rules;

/**
 * Returns the rule of a setting, `undefined` if there is none. Planner switches (`enable_…`) and names with a dot are stored and shown, except
 * those of svc, which would have an effect.
 */
export function ruleOf(name: string): SettingRule | undefined {
  const key = name.toLowerCase();
  const found = byName.get(key);
  if (found !== undefined) return found;
  if (/^enable_[a-z_]+$/.test(key)) return { name: key, initial: 'on', read: flag };
  const isCustom = /^[a-z_][a-z0-9_$]*(?:\.[a-z_][a-z0-9_$]*)+$/.test(key);
  return isCustom && !key.startsWith('svc.')
    ? { name: key, initial: '', read: anyText }
    : undefined;
}

/** Returns the value in its printed form. Throws `22023` if it is not valid, and `55P02` if the setting cannot change. */
export function settingValue(rule: SettingRule, value: string): string {
  if (rule.isFixed === true) throw sqlError('55P02', `parameter "${rule.name}" cannot be changed`);
  const read = rule.read(value);
  if (read !== undefined) return read;
  throw sqlError('22023', `invalid value for parameter "${rule.name}": "${value}"`, {
    hint: hints[rule.name],
  });
}

const hints: Readonly<Record<string, string>> = {
  client_encoding: 'svc sends and receives UTF8 only.',
  DateStyle: 'svc prints dates in the ISO style only.',
  standard_conforming_strings: "Write backslash escapes as E'…'.",
  TimeZone: 'Use the name of a time zone, such as Europe/Berlin.',
};
