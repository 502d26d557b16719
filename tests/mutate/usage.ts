/** The command line of `npm run mutate`. */

import { parseArgs } from 'node:util';

export const usage = `npm run mutate -- [--module M] [--file F[:LINE]] [--count N] [--seed S] [--jobs N] [--budget S] [--json FILE]

  --module M      only mutations of one module, or of a part of it: catalog, storage/transaction
  --file F[:LINE] only mutations of one file, or of one line of it
  --count N       number of mutations to draw (default 40; with --file all)
  --seed S        the same seed draws the same mutations (default 1)
  --jobs N        number of mutations tried at the same time (default 1)
  --budget S      seconds of larger suites for one mutation (default 240; 0: none)
  --json FILE     also writes every mutation and its verdict to this file, one per line; mutations that the file contains are not tried again
`;

export interface Arguments {
  /** Source files whose path starts so. */
  readonly prefix: string;
  readonly line: number | undefined;
  readonly count: number;
  readonly seed: number;
  readonly jobs: number;
  readonly budgetMs: number;
  readonly json: string | undefined;
}

const text = { type: 'string' } as const;
const options = {
  module: text,
  file: text,
  count: text,
  seed: text,
  jobs: text,
  budget: text,
  json: text,
};

/** Undefined when they make no sense. */
export function parseArguments(args: readonly string[]): Arguments | undefined {
  try {
    const { values } = parseArgs({ args: [...args], options });
    const [file, line] = values.file?.split(':') ?? [];
    return {
      prefix: file ?? (values.module === undefined ? 'src/' : `src/${values.module}/`),
      line: line === undefined ? undefined : positive(line),
      count: positive(values.count ?? (file === undefined ? '40' : '9999')),
      seed: positive(values.seed ?? '1'),
      jobs: positive(values.jobs ?? '1'),
      budgetMs: values.budget === '0' ? 0 : 1000 * positive(values.budget ?? '240'),
      json: values.json,
    };
  } catch {
    return undefined;
  }
}

function positive(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new RangeError('a positive whole number');
  return Number(value);
}
