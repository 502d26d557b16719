/** The settings of a connection from its startup packet. */

import { sqlError } from '#sql';
import { ruleOf, settingValue } from '../settings/rules.ts';

/** Parameters of the packet that are not settings. */
const others: ReadonlySet<string> = new Set(['user', 'database', 'options', 'replication']);

/** Returns the initial values by lower-case name. Throws if a setting or a value is not valid. */
export function startupSettings(
  parameters: ReadonlyMap<string, string>,
  isReader: boolean,
): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  const add = (name: string, value: string) => {
    const rule = ruleOf(name);
    if (rule === undefined)
      throw sqlError('42704', `unrecognized configuration parameter "${name}"`);
    given.set(rule.name.toLowerCase(), settingValue(rule, value));
  };
  for (const [name, value] of optionsOf(parameters.get('options') ?? '')) add(name, value);
  for (const [name, value] of parameters) if (!others.has(name)) add(name, value);
  given.set('session_authorization', parameters.get('user') ?? '');
  if (isReader) {
    given.set('in_hot_standby', 'on');
    given.set('default_transaction_read_only', 'on');
  }
  return given;
}

/** Reads `-c name=value`, `-cname=value` and `--name=value`. A backslash protects a space. */
function optionsOf(text: string): readonly (readonly [name: string, value: string])[] {
  const words = [...text.matchAll(/(?:\\.|[^\\\s])+/g)].map(([word]) =>
    word.replace(/\\(.)/g, '$1'),
  );
  const found: (readonly [string, string])[] = [];
  for (let i = 0; i < words.length; i++) {
    let word = words[i] as string;
    if (word === '-c') word = `--${words[++i] ?? ''}`;
    else if (word.startsWith('-c')) word = `--${word.slice(2)}`;
    const pair = /^--([^=]+)=(.*)$/s.exec(word);
    if (pair === null) throw sqlError('42601', `invalid command-line argument: ${word}`);
    found.push([(pair[1] as string).replaceAll('-', '_'), pair[2] as string]);
  }
  return found;
}
