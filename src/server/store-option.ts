/** One `--store-*` option: its names, what its help says, and how a value of it tunes the store. */

import { resolve } from 'node:path';
import type { StoreTuning } from '#storage';
import { type Option, oneOf, refusal, wholeNumber } from './option.ts';

export interface StoreOption {
  /** Without dashes in front. */
  readonly name: string;
  /** What stands behind the flag in its help. */
  readonly argument: string;
  /** One sentence without its full stop. */
  readonly description: string;
  /** As the help shows it. */
  readonly otherwise: string;
  /** Throws a RefusedOption. */
  readonly read: (option: Option) => StoreTuning;
}

type Member<T> = {
  [K in keyof StoreTuning]-?: T extends NonNullable<StoreTuning[K]> ? K : never;
}[keyof StoreTuning];

interface Count {
  readonly member: Member<number>;
  /** In units of the option. */
  readonly otherwise: number;
  readonly min?: number;
  readonly max: number;
  /** How many of the member's units one of the option's is. */
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

/** False unless it is set; a flag without a value sets it. */
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
