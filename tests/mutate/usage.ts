/** The command line of `npm run mutate`. */

import { parseArgs } from 'node:util';

export const usage = `npm run mutate -- [--room R] [--file F[:LINE]] [--count N] [--seed S] [--jobs N] [--budget S] [--json FILE]

  --room R        only slips of one room, or of a part of it: catalog, storage/transaction
  --file F[:LINE] only slips of one file, or of one line of it
  --count N       how many slips to draw (default 40; with --file all)
  --seed S        the same seed draws the same slips (default 1)
  --jobs N        so many slips at a time (default 1)
  --budget S      seconds of larger suites for one slip (default 240)
  --json FILE     also writes every slip and its verdict there, a line each; slips that it holds are not tried again
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
  room: text,
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
      prefix: file ?? (values.room === undefined ? 'src/' : `src/${values.room}/`),
      line: line === undefined ? undefined : positive(line),
      count: positive(values.count ?? (file === undefined ? '40' : '9999')),
      seed: positive(values.seed ?? '1'),
      jobs: positive(values.jobs ?? '1'),
      budgetMs: 1000 * positive(values.budget ?? '240'),
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
