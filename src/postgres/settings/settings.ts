/** The values of the settings of one session. Changes of a transaction are undone with it. */

import { sqlError } from '#sql';
import { allRules, ruleOf, type SettingRule, settingValue } from './rules.ts';

/** The values of one moment. Local values end with the transaction. */
export interface SettingState {
  readonly session: ReadonlyMap<string, string>;
  readonly local: ReadonlyMap<string, string>;
}

const none: ReadonlyMap<string, string> = new Map();

/** Settings that belong to a transaction, so that they are local in any case. */
const ofTransaction: ReadonlySet<string> = new Set([
  'transaction_read_only',
  'transaction_isolation',
  'transaction_deferrable',
]);

export class Settings {
  /** The values to which RESET returns, by lower-case name. */
  private readonly initial: ReadonlyMap<string, string>;
  private current: SettingState = { session: none, local: none };
  /** Grows with each change. */
  version = 0;

  /** `given` are the values of this connection: of the startup packet, and of the server for fixed settings. */
  constructor(given: ReadonlyMap<string, string>) {
    this.initial = given;
  }

  /** Returns the value of a setting. Throws `42704` if there is no such setting. */
  get(name: string): string {
    const value = this.find(name);
    if (value === undefined) throw unknown(name);
    return value;
  }

  /** Returns `undefined` if there is no such setting, or a custom one that has no value. */
  find(name: string): string | undefined {
    const key = name.toLowerCase();
    const { local, session } = this.current;
    const value = local.get(key) ?? session.get(key) ?? this.initial.get(key);
    if (value !== undefined) return value;
    const rule = ruleOf(key);
    return rule === undefined || (key.includes('.') && !key.startsWith('svc.'))
      ? undefined
      : rule.initial;
  }

  /** Returns the name as SHOW prints it. Throws `42704` if there is no such setting. */
  nameOf(name: string): string {
    this.get(name);
    return ruleOf(name)?.name ?? name;
  }

  /** Sets a value, or the default without one. `isLocal`: until the end of the transaction. */
  set(name: string, value: string | undefined, isLocal: boolean): void {
    const rule = ruleOf(name);
    if (rule === undefined) throw unknown(name);
    const key = rule.name.toLowerCase();
    const text = value === undefined ? this.initialOf(rule) : settingValue(rule, value);
    const { session, local } = this.current;
    if (isLocal || ofTransaction.has(key)) {
      this.restore({ session, local: new Map(local).set(key, text) });
      return;
    }
    const remaining = new Map(local);
    remaining.delete(key);
    this.restore({ session: new Map(session).set(key, text), local: remaining });
  }

  reset(name: string): void {
    if (name.toLowerCase() === 'all') this.restore({ session: none, local: none });
    else this.set(name, undefined, false);
  }

  get state(): SettingState {
    return this.current;
  }

  /** Returns to an earlier state. */
  restore(state: SettingState): void {
    this.current = state;
    this.version++;
  }

  /** Drops the local values at the end of a transaction. */
  endLocal(): void {
    if (this.current.local.size > 0) this.restore({ session: this.current.session, local: none });
  }

  /** Returns all settings by name, for SHOW ALL. */
  all(): readonly (readonly [name: string, value: string])[] {
    const names = new Set(allRules.map(({ name }) => name));
    for (const key of [
      ...this.initial.keys(),
      ...this.current.session.keys(),
      ...this.current.local.keys(),
    ]) {
      names.add(ruleOf(key)?.name ?? key);
    }
    const list = [...names].map((name) => [name, this.find(name) ?? ''] as const);
    return list.sort(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  }

  private initialOf(rule: SettingRule): string {
    if (rule.isFixed === true) settingValue(rule, '');
    return this.initial.get(rule.name.toLowerCase()) ?? rule.initial;
  }
}

function unknown(name: string): Error {
  return sqlError('42704', `unrecognized configuration parameter "${name}"`);
}

/** Returns the schemas of a search path. Names without quotes are in lower case. */
export function schemasOf(path: string, user: string): readonly string[] {
  const found: string[] = [];
  for (const [, quoted, plain] of path.matchAll(/"((?:[^"]|"")*)"|([^\s,"]+)/g)) {
    const name =
      quoted === undefined ? (plain as string).toLowerCase() : quoted.replaceAll('""', '"');
    found.push(name === '$user' ? user : name);
  }
  return found;
}
