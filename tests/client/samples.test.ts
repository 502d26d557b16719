/** What a scrape tells, value by value, and what the answers about programs hold. */

import { expect, test } from 'bun:test';
import { Connection, explainedIn, ProgramApi, StatisticsApi, scrape } from '#client';
import { manualWorld } from '../support/manual-world.ts';

const text = `# HELP a_total Things.
# TYPE a_total counter
a_total{result="hit",kind="x"} 2
a_total{result="hit",kind="y"} 3
a_total{result="miss",kind="x"} 40
plain 1.5
took_bucket{kind="x",le="0.5"} 1
took_bucket{kind="x",le="+Inf"} 4
took_bucket{kind="x",le="0.25"} 0
took_bucket{kind="y",le="0.5"} 10
took_bucket{kind="y",le="+Inf"} 20
not a line
`;

/** Answers `answer` to everything, and keeps what was sent, with its time limit. */
function connected(answer: () => Response) {
  const world = manualWorld();
  const limits: number[] = [];
  const scheduler = {
    ...world.scheduler,
    after: (ms: number, act: () => void) => {
      limits.push(ms);
      return world.scheduler.after(ms, act);
    },
  };
  const sent: (readonly [string | undefined, string, unknown, unknown])[] = [];
  const connection = new Connection({
    origin: 'http://db:1',
    scheduler,
    fetch: async (url, { method, body, headers }) => {
      const level = (headers as Record<string, string>)['svc-diagnostics'];
      sent.push([method, url, body, level]);
      return answer();
    },
  });
  return { connection, sent, limits };
}

const samplesOf = () => scrape(connected(() => new Response(text)).connection);

test('values of a name are added up, those with all words', async () => {
  const samples = await samplesOf();
  expect(samples.sum('a_total')).toBe(45);
  expect(samples.sum('a_total', 'result="hit"')).toBe(5);
  expect(samples.sum('a_total', 'result="hit"', 'kind="y"')).toBe(3);
  expect(samples.sum('plain')).toBe(1.5);
});

test('without a value there is no sum', async () => {
  const samples = await samplesOf();
  for (const name of ['b_total', 'not', '#']) expect(samples.sum(name)).toBeUndefined();
  expect(samples.sum('a_total', 'result="none"')).toBeUndefined();
});

test('buckets come by their bounds, and add up over the attributes', async () => {
  const samples = await samplesOf();
  const infinity = Number.POSITIVE_INFINITY;
  expect(samples.buckets('took', 'kind="x"')).toEqual([
    [0.25, 0],
    [0.5, 1],
    [infinity, 4],
  ]);
  expect(samples.buckets('took')).toEqual([
    [0.25, 0],
    [0.5, 11],
    [infinity, 24],
  ]);
  expect(samples.buckets('nothing')).toEqual([]);
});

test('a plan runs nothing, a measured run has its level and an hour', async () => {
  const statements = [{ name: 'q' }];
  const answer = { plan: { statements }, _svc: { diagnostics: { level: 'summary' } } };
  const { connection, sent, limits } = connected(() => Response.json(answer));
  const api = new ProgramApi(connection);
  const explained = { plan: { statements }, diagnostics: { level: 'summary' } } as never;
  expect(await api.plan('{}')).toEqual(explained);
  expect(await api.run('{"a":1}', 'detailed')).toEqual(explained);
  expect(sent).toEqual([
    ['POST', 'http://db:1/execute?show-plan=true&dry-run=true', '{}', undefined],
    ['POST', 'http://db:1/execute?show-plan=true', '{"a":1}', 'detailed'],
  ]);
  expect(limits).toEqual([3_600_000, 3_600_000]);
});

test('an answer without a plan or diagnostics has none', () => {
  expect(explainedIn({ _svc: {} })).toEqual({ plan: { statements: [] } });
  expect('diagnostics' in explainedIn({})).toBe(false);
});

test('one program or all of them are erased', async () => {
  const erased = { deleted: 3, executions: 2, programs: 1 };
  const { connection, sent } = connected(() => Response.json(erased));
  const api = new StatisticsApi(connection);
  expect(await api.eraseCorpus()).toEqual(erased);
  expect(await api.eraseCorpus('abc')).toEqual(erased);
  const path = 'http://db:1/api/statistics/corpus';
  expect(sent.map(([method, url]) => [method, url])).toEqual([
    ['DELETE', path],
    ['DELETE', `${path}/abc`],
  ]);
});
