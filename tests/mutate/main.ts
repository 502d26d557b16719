/** `npm run mutate`: puts small slips into a copy of the source, one at a time, and prints those that no test notices. */

import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Glob } from 'bun';
import { copiedTree } from '../mutants/tree.ts';
import { drawnSlips } from './draw.ts';
import { gone } from './equivalent.ts';
import { Score } from './score.ts';
import type { Slip } from './slip.ts';
import { Suites } from './suites.ts';
import { Trials, type Verdict } from './trial.ts';
import { TypeChecker } from './type-checker.ts';
import { type Arguments, parseArguments, usage } from './usage.ts';

const root = join(import.meta.dir, '..', '..');

/** Files and folders that no suite reads. */
const left: ReadonlySet<string> = new Set(['node_modules', 'dist', '.git']);

const given = parseArguments(process.argv.slice(2));
if (given === undefined) {
  console.error(usage);
  process.exit(2);
}
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
process.exit(await main(given));

async function main(given: Arguments): Promise<number> {
  const files = [...new Glob('{src,clients}/**/*.ts').scanSync({ cwd: root })]
    .filter((file) => file.startsWith(given.prefix))
    .sort();
  if (files.length === 0) {
    console.error(`there is no source in ${given.prefix}`);
    return 2;
  }
  for (const { file, before } of gone((name) => readFileSync(join(root, name), 'utf8'))) {
    console.log(`called equivalent, and not there any more: ${file}: ${before}`);
  }
  await using checker = await TypeChecker.open(root);
  const score = new Score();
  const kept = keptIn(given.json);
  for (const { slip, verdict } of kept.values()) score.add(slip, verdict);
  const drawn = taken(drawnSlips(checker, files, given.seed), given);
  const slips = without(kept, drawn);
  const survivors: Slip[] = [];
  const done = async (slip: Slip, suggested: Verdict): Promise<void> => {
    const verdict = await confirmed(checker, slip, suggested);
    score.add(slip, verdict);
    if (verdict.kind === 'survived') survivors.push(slip);
    show(slip, verdict, given.json);
  };
  await Promise.all(Array.from({ length: given.jobs }, () => work(slips, given, done)));
  console.log(`\n${survivors.length} survived\n${score.lines().join('\n')}`);
  return survivors.length === 0 ? 0 : 1;
}

async function* taken(
  slips: AsyncGenerator<Slip, undefined>,
  { line, count }: Arguments,
): AsyncGenerator<Slip, undefined> {
  let left = count;
  for await (const slip of slips) {
    if (line !== undefined && slip.line !== line) continue;
    yield slip;
    if (--left === 0) return;
  }
}

/** Verdicts of a run before that went to the same file, by slip: one that was cut short goes on where it was. */
function keptIn(json: string | undefined): ReadonlyMap<string, { slip: Slip; verdict: Verdict }> {
  if (json === undefined || !existsSync(json)) return new Map();
  const lines = readFileSync(json, 'utf8').split('\n').slice(0, -1);
  return new Map(
    lines.map((line) => {
      const { verdict, ...slip } = JSON.parse(line) as Slip & { verdict: Verdict };
      return [keyOf(slip), { slip, verdict }];
    }),
  );
}

function keyOf({ file, line, before, after }: Slip): string {
  return JSON.stringify([file, line, before, after]);
}

async function* without(
  kept: ReadonlyMap<string, unknown>,
  slips: AsyncGenerator<Slip, undefined>,
): AsyncGenerator<Slip, undefined> {
  for await (const slip of slips) if (!kept.has(keyOf(slip))) yield slip;
}

/** Takes slips, each in turn, in a tree of its own. */
async function work(
  slips: AsyncGenerator<Slip, undefined>,
  { budgetMs }: Arguments,
  done: (slip: Slip, verdict: Verdict) => Promise<void>,
): Promise<void> {
  using tree = copiedTree(readdirSync(root).filter((name) => !left.has(name)));
  process.once('exit', () => tree[Symbol.dispose]());
  const suites = new Suites(tree.path, budgetMs);
  const trials = new Trials(tree.path);
  for (let next = await slips.next(); !next.done; next = await slips.next()) {
    await done(next.value, await trials.tryOut(next.value, suites.owning(next.value)));
  }
  for (const path of suites.leftOut) console.log(`left out, fails without a slip: ${path}`);
}

/** What survives must pass the type checker everywhere, which takes too long to ask for every slip. */
async function confirmed(checker: TypeChecker, slip: Slip, verdict: Verdict): Promise<Verdict> {
  if (verdict.kind !== 'survived') return verdict;
  return (await checker.accepts(slip.file, slip.changed, true)) ? verdict : { kind: 'refused' };
}

function show(slip: Slip, verdict: Verdict, json: string | undefined): void {
  const place = `${slip.file}:${slip.line}`;
  console.log(`${verdict.kind.padEnd(10)} ${place.padEnd(52)} ${slip.kind}${detail(verdict)}`);
  if (verdict.kind === 'survived') console.log(`  - ${slip.before}\n  + ${slip.after}`);
  const { changed, ...rest } = slip;
  if (json !== undefined) appendFileSync(json, `${JSON.stringify({ ...rest, verdict })}\n`);
}

function detail(verdict: Verdict): string {
  if (verdict.kind === 'noticed') {
    return ` (${verdict.isByRoom ? '' : 'larger suite: '}${verdict.by})`;
  }
  if (verdict.kind === 'equivalent') return ` (${verdict.reason})`;
  return verdict.kind === 'survived' ? ` (${verdict.suites} suites)` : '';
}
