/** `npm run fuzz -- --seed S --programs N`: generated programs on every way, as many as wanted. `--first` reports what it finds unshrunk. */

import { parseArgs } from 'node:util';
import { Coverage } from './coverage.ts';
import { reportOf } from './report.ts';
import { search } from './search.ts';

const usage =
  'usage: npm run fuzz -- [--seed S] [--programs N] [--first]   (whole numbers, N at least 1)';
const scenariosAtOnce = 400;
const progressEvery = 10_000;

process.exit(await main());

async function main(): Promise<number> {
  const wanted = argumentsOf();
  if (wanted === undefined) {
    console.error(usage);
    return 2;
  }
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
}

function argumentsOf(): Wanted | undefined {
  try {
    const { values } = parseArgs({
      options: {
        seed: { type: 'string', default: '1' },
        programs: { type: 'string', default: '20000' },
        first: { type: 'boolean', default: false },
      },
    });
    const [seed, programs] = [Number(values.seed), Number(values.programs)];
    const isRight = Number.isSafeInteger(seed) && Number.isSafeInteger(programs) && programs > 0;
    return isRight ? { seed, programs, first: values.first } : undefined;
  } catch {
    return undefined;
  }
}
