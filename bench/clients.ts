/**
 * What generated clients cost beside what is written by hand in the same language: `fetch` and JSON on Node and Bun, net/http and encoding/json in Go, http.client
 * and json in Python, each with a deadline. Requests a second (8 connections; Python 1) and processor time of the client, by turns.
 */

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { compile } from '../clients/typescript/runtime/index.ts';
import { filesOf } from '../tests/codegen/generate/files.ts';
import { serve } from '../tests/codegen/served.ts';
import { connect, t } from '../tests/codegen/specimen/db.ts';
import { schema } from '../tests/codegen/specimen/schema.ts';
import { benchHundred } from './clients/hundred.ts';
import { feed, list } from './clients/questions.ts';
import type { Measurement } from './measure.ts';

interface Round {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

type Sides = Readonly<Record<'client' | 'byHand', readonly Round[]>>;

interface Found {
  readonly measured: Readonly<Record<string, Sides>>;
  /** Microseconds, by question. */
  readonly build?: Readonly<Record<string, number>>;
}

/** A language on a runtime; undefined where it is not here. */
interface Subject {
  readonly name: string;
  run(parts: readonly string[]): Promise<Found>;
}

const posts = 5_000;
const here = import.meta.dir;

/** Least ratios: of requests a second, and of the processor time by hand to that of the client. */
const goals: Readonly<Record<string, { readonly rate?: number; readonly processor?: number }>> = {
  'by key, prepared': { rate: 0.95, processor: 1 },
  'by key, ad hoc': { rate: 0.9, processor: 1 / 1.1 },
  'feed, prepared': { processor: 1 / 1.25 },
  'feed, ad hoc': { processor: 1 / 1.25 },
  '500 rows': { processor: 1 / 1.25 },
};
/** Of the other languages, for every question. */
const otherRate = 0.9;
/** Microseconds at most. */
const buildGoals: Readonly<Record<string, number>> = { 'by key': 5, feed: 50 };

/** How long it takes: milliseconds of a round, rounds, milliseconds before them in which what is compiled only after a while is. */
type Length = readonly [roundMs: number, rounds: number, warmingMs: number];

export const benchClients = (isQuick: boolean): Promise<readonly Measurement[]> =>
  clientsMeasured(isQuick ? [250, 9, 2000] : [1000, 9, 2000]);

export async function clientsMeasured(length: Length): Promise<readonly Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-clients-'));
  await using server = await serve();
  try {
    await fill(server.url);
    const programs = join(folder, 'programs.json');
    writeFileSync(programs, JSON.stringify(programsByHand()));
    const subjects = await subjectsIn(folder);
    const parts = [server.url, programs, ...length.map(String)];
    const all = [...benchHundred(folder, Bun.which('go'), Bun.which('python3'))];
    for (const subject of subjects)
      all.push(...measurementsOf(subject.name, await subject.run(parts)));
    return all;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What somebody would have written down: the same questions. Each request has its text made anew. */
function programsByHand() {
  return { feed: JSON.parse(compile(feed()).body), list: JSON.parse(compile(list()).body) };
}

async function subjectsIn(folder: string): Promise<readonly Subject[]> {
  const { success } = await Bun.build({
    entrypoints: [join(here, 'clients/load.ts')],
    outdir: folder,
    target: 'node',
    naming: 'load.mjs',
  });
  if (!success) throw new Error('the load cannot be bundled');
  const found: Subject[] = [];
  const add = (name: string, program: string | null, run: Subject['run']) => {
    if (program === null) console.log(`${name}: not in PATH`);
    else found.push({ name, run });
  };
  const script = join(folder, 'load.mjs');
  const [node, go, python] = ['node', 'go', 'python3'].map((name) => Bun.which(name));
  add('node', node ?? null, (parts) => output([node as string, script, ...parts], folder));
  add('bun', process.execPath, (parts) => output([process.execPath, script, ...parts], folder));
  add('go', go ?? null, (parts) => runGo(go as string, folder, parts));
  add('python', python ?? null, (parts) => runPython(python as string, folder, parts));
  return found;
}

function writeClient(language: string, folder: string): void {
  const target = `- {language: ${language}, output: db, package: db}`;
  for (const { path, text } of filesOf(JSON.stringify(schema), target)) {
    const to = join(folder, path.startsWith('db/') ? '' : 'db', path);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, text);
  }
}

async function runGo(go: string, folder: string, parts: readonly string[]): Promise<Found> {
  const own = join(folder, 'go');
  cpSync(join(here, 'clients/go'), own, { recursive: true });
  writeFileSync(join(own, 'go.mod'), 'module svc.test/app\n\ngo 1.24\n');
  writeClient('go', own);
  const build = Bun.spawnSync([go, 'build', '-o', 'load', '.'], {
    cwd: own,
    env: { ...process.env, GOTOOLCHAIN: 'local', GOWORK: 'off', GOFLAGS: '-mod=mod' },
  });
  if (build.exitCode !== 0) throw new Error(build.stderr.toString());
  return output([join(own, 'load'), ...parts], own);
}

function runPython(python: string, folder: string, parts: readonly string[]): Promise<Found> {
  const own = join(folder, 'python');
  cpSync(join(here, 'clients/python'), own, { recursive: true });
  writeClient('python', own);
  return output([python, 'load.py', ...parts], own);
}

async function output(command: readonly string[], cwd: string): Promise<Found> {
  const child = Bun.spawn([...command], { cwd, stdout: 'pipe', stderr: 'inherit' });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${command[0]} ended with ${child.exitCode}`);
  return JSON.parse(text);
}

function measurementsOf(name: string, { measured, build = {} }: Found): readonly Measurement[] {
  const isTypeScript = name === 'node' || name === 'bun';
  const ofQuestions = Object.entries(measured).flatMap(([question, { client, byHand }]) => {
    const { rate, processor } = isTypeScript ? (goals[question] ?? {}) : { rate: otherRate };
    const compared = (goal: number | undefined, what: string, of: (round: Round) => number) => {
      const ratios = client.map((round, i) => of(round) / of(byHand[i] as Round));
      return {
        name: `${name}, ${question}: ${what}`,
        goal: goal ?? 0,
        ratio: median(ratios),
        subject: shown(median(client.map(of)), what),
        reference: shown(median(byHand.map(of)), what),
      };
    };
    return [
      compared(rate, 'requests', ({ perSecond }) => perSecond),
      compared(processor, 'processor', ({ cpuMicros }) => 1 / cpuMicros),
    ];
  });
  const ofBuilding = Object.entries(build).map(([question, micros]) => ({
    name: `${name}, ${question}: built and made text`,
    goal: 1,
    ratio: (buildGoals[question] ?? 0) / micros,
    subject: `${micros.toFixed(1)} µs`,
    reference: `${buildGoals[question]} µs`,
  }));
  return [...ofQuestions, ...ofBuilding];
}

const shown = (value: number, what: string) =>
  what === 'processor' ? `${(1 / value).toFixed(0)} µs` : `${value.toFixed(0)}/s`;

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

/** A hundred users, 5,000 posts, four comments on each. */
async function fill(url: string): Promise<void> {
  const db = connect({ url, schema: 'off' });
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
  await db.copy(
    t.users,
    numbers(100).map((id) => ({ id, handle: `user${id}`, bio: id % 3 === 0 ? null : 'A life.' })),
  );
  await db.copy(
    t.posts,
    numbers(posts).map((id) => ({
      ...{ id, author_id: (id % 100) + 1, title: `About ${id}`, score: id % 50 },
      ...{ body: id % 4 === 0 ? null : `What there is to say about ${id}, at some length.` },
      ...{ rating: id % 5 === 0 ? null : id / 8, created_at: 1_700_000_000_000 + id * 1000 },
    })),
  );
  await db.copy(
    t.comments,
    numbers(4 * posts).map((i) => ({
      ...{ post_id: (i % posts) + 1, author_id: i % 7 === 0 ? null : (i % 100) + 1 },
      body: `Comment ${i}: well said.`,
    })),
  );
  db.close();
}
