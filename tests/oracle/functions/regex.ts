/** Regular expressions by those of the language, for the patterns that mean the same in both. */

import { failed } from '../problem.ts';
import { row } from './row.ts';

const classes = new Map([
  ['[:alpha:]', '\\p{Alphabetic}'],
  ['[:digit:]', '0-9'],
  ['[:alnum:]', '\\p{Alphabetic}\\p{Nd}'],
]);

function matches(text: string, pattern: string, flags = ''): boolean {
  let source = pattern.replaceAll(/\[:[a-z]+:\]/g, (name) => classes.get(name) ?? name);
  // In a bracket expression, a bracket that comes first is a member.
  source = source.replace(/^\[\]/, '[\\]').replace(/^\[\^\]/, '[^\\]');
  source = source.replaceAll('\\w', '[\\p{Alphabetic}\\p{Nd}_]');
  source = source.replaceAll('\\W', '[^\\p{Alphabetic}\\p{Nd}_]');
  const isUnsupported = /\\[1-9]|\(\?[=!<]|\\[by]|\*\*|[*+?}]\{|\^\*/.test(source);
  if (isUnsupported || (flags !== '' && flags !== 'i')) throw failed('invalid_argument');
  let test: RegExp;
  try {
    test = new RegExp(source, `su${flags}`);
  } catch {
    throw failed('invalid_argument');
  }
  return test.test(text);
}

export const regexRows = {
  regex: [row('text text > bool', matches), row('text text text > bool', matches)],
};
