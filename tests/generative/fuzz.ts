/** `npm run fuzz -- --seed S --programs N`: generated programs on every way, as many as wanted. `--first` reports what it finds unshrunk. `--large`: a few large tables instead. */

import { parseArgs } from 'node:util';
import { Coverage } from './coverage.ts';
import { type LargeSearch, searchLarge } from './large/search.ts';
import { reportOf } from './report.ts';
import { search } from './search.ts';

const usage = [
  'usage: npm run fuzz -- [--seed S] [--programs N] [--first]   (whole numbers, N at least 1)',
  '       npm run fuzz -- --large [--seed S] [--rows N] [--questions N] [--minutes N]',
].join('\n');
const scenariosAtOnce = 400;
const progressEvery = 10_000;

process.exit(await main());

async function main(): Promise<number> {
  const wanted = argumentsOf();
  if (wanted === undefined) {
    console.error(usage);
    return 2;
  }
  if (wanted.large !== undefined) return (await searchLarge(wanted.seed, wanted.large)) ? 0 : 1;
  const coverage = new Coverage();
  const start = performance.now();
  let reported = 0;
  for (let turn = 0; coverage.programs < wanted.programs; turn++) {
    const seed = (wanted.seed + Math.imul(turn, 0x9e3779b1)) | 0;
    const found = await search(seed, scenariosAtOnce, coverage.add, !wanted.first);
    if (found !== undefined) {
      console.log(reportOf(found));
      console.log(`\nafter ${coverage.programs} programs, seed ${wanted.seed}`);
      return 1;
    }
    if (coverage.programs < reported + progressEvery) continue;
    reported = coverage.programs;
    console.log(`${reported} programs, ${perSecond(reported, start)} a second`);
  }
  console.log(coverage.toText());
  console.log(`\nno difference; ${perSecond(coverage.programs, start)} programs a second`);
  return 0;
}

function perSecond(programs: number, start: number): string {
  return ((programs / (performance.now() - start)) * 1000).toFixed();
}

interface Wanted {
  readonly seed: number;
  readonly programs: number;
  readonly first: boolean;
  readonly large: LargeSearch | undefined;
}

function argumentsOf(): Wanted | undefined {
  try {
    const { values } = parseArgs({
      options: {
        seed: { type: 'string', default: '1' },
        programs: { type: 'string', default: '20000' },
        first: { type: 'boolean', default: false },
        large: { type: 'boolean', default: false },
        rows: { type: 'string' },
        questions: { type: 'string', default: '60' },
        minutes: { type: 'string', default: '5' },
      },
    });
    const whole = (text: string, least: number) => {
      const value = Number(text);
      if (!Number.isSafeInteger(value) || value < least) throw new Error(`not a number: ${text}`);
      return value;
    };
    const { first } = values;
    const large = values.large
      ? {
          rows: values.rows === undefined ? undefined : whole(values.rows, 1),
          questions: whole(values.questions, 1),
          minutes: whole(values.minutes, 1),
        }
      : undefined;
    const seed = whole(values.seed, Number.MIN_SAFE_INTEGER);
    return { seed, programs: whole(values.programs, 1), first, large };
  } catch {
    return undefined;
  }
}
