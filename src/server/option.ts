/** Reads one option: the source of its value and the allowed values (docs/cli.md). */

import { RefusedOption } from './refused-option.ts';

/** The environment variables of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** An option with its value and the source of the value. */
export interface Option {
  /** The flag without its leading dashes. Empty if only a variable exists. */
  readonly name: string;
  readonly variable: string;
  /** Value of the flag or the environment variable; `undefined` if neither is set. */
  readonly value: string | undefined;
  readonly isFlag: boolean;
}

/** Reads an option. A flag overrides the variable. An empty variable counts as unset, an empty flag does not. */
export function readOption(
  names: { readonly name: string; readonly variable: string },
  flag: string | undefined,
  variable: string | undefined,
): Option {
  if (flag !== undefined) return { ...names, value: flag, isFlag: true };
  return { ...names, value: variable === '' ? undefined : variable, isFlag: false };
}

export function oneOf<const T extends string, D extends NoInfer<T> | undefined>(
  option: Option,
  allowed: readonly T[],
  otherwise: D,
): T | D {
  if (option.value === undefined) return otherwise;
  const found = allowed.find((candidate) => candidate === option.value);
  if (found !== undefined) return found;
  throw refusal(option, `one of ${allowed.join(', ')}`);
}

interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly otherwise: number;
}

export function wholeNumber(option: Option, range: NumberRange): number {
  if (option.value === undefined) return range.otherwise;
  const value = /^\d{1,15}$/.test(option.value) ? Number(option.value) : Number.NaN;
  if (value >= range.min && value <= range.max) return value;
  throw refusal(option, `an integer from ${range.min} to ${range.max}`);
}

/** Returns an error with the flag or variable, its value, and the allowed values. */
export function refusal(option: Option, allowed: string): RefusedOption {
  const isVariable = !option.isFlag && option.value !== undefined;
  const source = isVariable || option.name === '' ? option.variable : `--${option.name}`;
  return new RefusedOption(source, option.value, allowed);
}
