/** `npm run mutate`: puts small mutations into a copy of the source, one at a time, and prints those that no test notices. */

import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Glob } from 'bun';
import { copiedTree } from '../mutants/tree.ts';
import { drawnMutations } from './draw.ts';
import { gone } from './equivalent.ts';
import type { Mutation } from './mutation.ts';
import { Score } from './score.ts';
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
  for (const { mutation, verdict } of kept.values()) score.add(mutation, verdict);
  const drawn = taken(drawnMutations(checker, files, given.seed), given);
  const mutations = without(kept, drawn);
  const survivors: Mutation[] = [];
  const done = async (mutation: Mutation, suggested: Verdict): Promise<void> => {
    const verdict = await confirmed(checker, mutation, suggested);
    score.add(mutation, verdict);
    if (verdict.kind === 'survived') survivors.push(mutation);
    show(mutation, verdict, given.json);
  };
  await Promise.all(Array.from({ length: given.jobs }, () => work(mutations, given, done)));
  console.log(`\n${survivors.length} survived\n${score.lines().join('\n')}`);
  return survivors.length === 0 ? 0 : 1;
}

async function* taken(
  mutations: AsyncGenerator<Mutation, undefined>,
  { line, count }: Arguments,
): AsyncGenerator<Mutation, undefined> {
  let left = count;
  for await (const mutation of mutations) {
    if (line !== undefined && mutation.line !== line) continue;
    yield mutation;
    if (--left === 0) return;
  }
}

/** Returns the verdicts that an earlier run wrote to the file, by mutation, so that an interrupted run continues. */
function keptIn(
  json: string | undefined,
): ReadonlyMap<string, { mutation: Mutation; verdict: Verdict }> {
  if (json === undefined || !existsSync(json)) return new Map();
  const lines = readFileSync(json, 'utf8').split('\n').slice(0, -1);
  return new Map(
    lines.map((line) => {
      const { verdict, ...mutation } = JSON.parse(line) as Mutation & { verdict: Verdict };
      return [keyOf(mutation), { mutation, verdict }];
    }),
  );
}

function keyOf({ file, line, before, after }: Mutation): string {
  return JSON.stringify([file, line, before, after]);
}

async function* without(
  kept: ReadonlyMap<string, unknown>,
  mutations: AsyncGenerator<Mutation, undefined>,
): AsyncGenerator<Mutation, undefined> {
  for await (const mutation of mutations) if (!kept.has(keyOf(mutation))) yield mutation;
}

/** Tries mutations one after the other, in a separate tree. */
async function work(
  mutations: AsyncGenerator<Mutation, undefined>,
  { budgetMs }: Arguments,
  done: (mutation: Mutation, verdict: Verdict) => Promise<void>,
): Promise<void> {
  using tree = copiedTree(readdirSync(root).filter((name) => !left.has(name)));
  process.once('exit', () => tree[Symbol.dispose]());
  const suites = new Suites(tree.path, budgetMs);
  const trials = new Trials(tree.path);
  for (let next = await mutations.next(); !next.done; next = await mutations.next()) {
    await done(next.value, await trials.tryOut(next.value, suites.owning(next.value)));
  }
  for (const path of suites.leftOut) console.log(`left out, fails without a mutation: ${path}`);
}

/** What survives must pass the type checker everywhere, which takes too long to ask for every mutation. */
async function confirmed(
  checker: TypeChecker,
  mutation: Mutation,
  verdict: Verdict,
): Promise<Verdict> {
  if (verdict.kind !== 'survived') return verdict;
  return (await checker.accepts(mutation.file, mutation.changed, true))
    ? verdict
    : { kind: 'refused' };
}

function show(mutation: Mutation, verdict: Verdict, json: string | undefined): void {
  const place = `${mutation.file}:${mutation.line}`;
  console.log(`${verdict.kind.padEnd(10)} ${place.padEnd(52)} ${mutation.kind}${detail(verdict)}`);
  if (verdict.kind === 'survived') console.log(`  - ${mutation.before}\n  + ${mutation.after}`);
  const { changed, ...rest } = mutation;
  if (json !== undefined) appendFileSync(json, `${JSON.stringify({ ...rest, verdict })}\n`);
}

function detail(verdict: Verdict): string {
  if (verdict.kind === 'noticed') {
    return ` (${verdict.isByModule ? '' : 'larger suite: '}${verdict.by})`;
  }
  if (verdict.kind === 'equivalent') return ` (${verdict.reason})`;
  return verdict.kind === 'survived' ? ` (${verdict.suites} suites)` : '';
}
