/** A `--store-*` option: its names, its help text, and its effect on the store. */

import { resolve } from 'node:path';
import type { StoreTuning } from '#storage';
import { type Option, oneOf, refusal, wholeNumber } from './option.ts';

export interface StoreOption {
  /** The name without leading dashes. */
  readonly name: string;
  /** The placeholder of the value in the help. */
  readonly argument: string;
  /** One sentence without its full stop. */
  readonly description: string;
  /** The default, as the help shows it. */
  readonly otherwise: string;
  /** Throws a `RefusedOption`. */
  readonly read: (option: Option) => StoreTuning;
}

type Member<T> = {
  [K in keyof StoreTuning]-?: T extends NonNullable<StoreTuning[K]> ? K : never;
}[keyof StoreTuning];

interface Count {
  readonly member: Member<number>;
  /** The default, in units of the option. */
  readonly otherwise: number;
  readonly min?: number;
  readonly max: number;
  /** Number of units of the member in one unit of the option. */
  readonly unit?: number;
  readonly description: string;
}

export function count(name: string, settings: Count): StoreOption {
  const { member, otherwise, min = 1, max, unit = 1, description } = settings;
  return {
    name,
    argument: '<n>',
    description,
    otherwise: String(otherwise),
    read: (option) => ({ [member]: wholeNumber(option, { min, max, otherwise }) * unit }),
  };
}

export function choice<const T extends string>(
  name: string,
  allowed: readonly T[],
  otherwise: NoInfer<T>,
  settings: { readonly description: string; readonly tune: (value: T) => StoreTuning },
): StoreOption {
  return {
    name,
    argument: `<${allowed.join('|')}>`,
    description: settings.description,
    otherwise,
    read: (option) => settings.tune(oneOf(option, allowed, otherwise)),
  };
}

const truths = ['1', 'true', 'yes'] as const;
const falsehoods = ['0', 'false', 'no'] as const;

/** Defines a boolean option. The default is false, and a flag without a value means true. */
export function toggle(
  name: string,
  settings: { readonly member: Member<boolean>; readonly description: string },
): StoreOption {
  return {
    name,
    argument: '[boolean]',
    description: settings.description,
    otherwise: 'false',
    read: (option) => {
      const value = oneOf(option, [...truths, ...falsehoods], 'false');
      return { [settings.member]: truths.some((truth) => truth === value) };
    },
  };
}

export function directory(
  name: string,
  settings: { readonly member: Member<string>; readonly description: string },
): StoreOption {
  return {
    name,
    argument: '<directory>',
    description: settings.description,
    otherwise: 'none',
    read: (option) => {
      if (option.value === '') throw refusal(option, 'a directory');
      return { [settings.member]: option.value === undefined ? '' : resolve(option.value) };
    },
  };
}
