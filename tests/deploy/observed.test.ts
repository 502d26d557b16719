/** Dashboard and alert rules: what they name is what a server tells, and docs/monitoring.md says of each alert what to do. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { metricsPage } from '#server';
import { startFakeServer } from '../s3/fake-server.ts';
import { startServerProcess } from '../support/server-process.ts';
import { addScrape, type Series, unknownIn } from './series.ts';
import { deploy, hasTool, run } from './tools.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
}

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const textOf = (...names: string[]) => readFileSync(join(deploy, ...names), 'utf8');

const rules = (parse(textOf('prometheus', 'svc-alerts.yaml')) as { groups: { rules: Rule[] }[] })
  .groups[0]?.rules as Rule[];
const { panels } = JSON.parse(textOf('grafana', 'svc.json')) as { panels: Panel[] };
const charts = panels.filter(({ type }) => type !== 'row');
const queries = charts.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr, legendFormat })),
);

const home = mkdtempSync(join(tmpdir(), 'svc-deploy-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const series: Series = new Map();

/** A store in a bucket with a cache on disk tells everything that any store tells. */
beforeAll(async () => {
  await using bucket = await startFakeServer();
  const flags = ['--storage', 's3', '--s3-bucket', 'bucket', '--s3-endpoint', bucket.endpoint];
  const cache = ['--store-object-cache-path', join(home, 'cache')];
  const env = { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' };
  const server = await startServerProcess([...flags, ...cache], { env });
  try {
    await fetch(`${server.url}/info`);
    addScrape(series, untold);
    addScrape(series, await (await fetch(`${server.url}/metrics`)).text());
  } finally {
    server.kill('SIGTERM');
    await server.exited;
  }
}, 60_000);

/** Told only where a control group has limits, or once there are tables. */
const untold = `
svc_process_memory_limit_bytes 1
svc_storage_lsm_ssts{level="0"} 1
svc_storage_lsm_table_bytes{level="0"} 1
`;

test('what is told later has an instrument, too', () => {
  const later: Series = new Map();
  addScrape(later, untold);
  expect(later.size).toBe(3);
  for (const name of later.keys()) expect(metricsPage()).toContain(`| \`${name}\` |`);
});

test('what is not told is found: a name, a label, a value, a group', () => {
  const expression =
    'sum by (kind, cause) (rate(svc_storage_backpressure_events_total{kind="full", who="x"}[5m])) / svc_nothing + svc_storage_damaged';
  expect(unknownIn(expression, series)).toEqual([
    'svc_storage_backpressure_events_total{kind="full"}',
    'svc_storage_backpressure_events_total{who="x"}',
    'svc_nothing',
    'by cause',
  ]);
});

test.each(rules.map((rule) => [rule.alert, rule] as const))('%s names what is told', (_, rule) => {
  expect(unknownIn(rule.expr, series)).toEqual([]);
});

test('queries of the dashboard name what is told, and legends what they are grouped by', () => {
  for (const { title, expr, legendFormat } of queries) {
    expect([title, ...unknownIn(expr, series)]).toEqual([title]);
    const names = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);
    const [, list] = /^(?:\d+ \* )?\(?(?:sum|max|min) by \(([^)]*)\)/.exec(expr) ?? [];
    if (list !== undefined) expect(list.split(', ')).toEqual(expect.arrayContaining(names));
  }
});

test('panels lie side by side', () => {
  for (const [i, { title, gridPos: a }] of panels.entries()) {
    expect([title, a.x + a.w <= 24]).toEqual([title, true]);
    for (const { title: other, gridPos: b } of panels.slice(i + 1)) {
      const isApart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
      expect([title, other, isApart]).toEqual([title, other, true]);
    }
  }
});

test('each alert has its section in docs/monitoring.md, and no other has one', () => {
  const page = readFileSync(join(deploy, '..', 'docs', 'monitoring.md'), 'utf8');
  const [, alerts = ''] = page.split('\n## Alerts\n');
  const sections = (alerts.split('\n## ')[0] as string).split('\n### ').slice(1);
  expect(sections.map((section) => section.split('\n')[0]).sort()).toEqual(
    rules.map(({ alert }) => alert).sort(),
  );
  for (const section of sections) {
    expect(section).toMatch(/\*Meaning\.\* \S/);
    expect(section).toMatch(/\*Action\.\* \S/);
  }
});

test('each alert has a test that sees it', () => {
  const tests = textOf('prometheus', 'svc-alerts.test.yaml');
  for (const { alert } of rules) expect(tests).toContain(`alertname: ${alert}\n`);
});

describe.skipIf(!hasTool('promtool', 'prometheus'))('promtool', () => {
  test('accepts the rules', async () => {
    const [code, output] = await run(['promtool', 'check', 'rules', 'prometheus/svc-alerts.yaml']);
    expect([code, output]).toEqual([0, expect.stringContaining(`${rules.length} rules found`)]);
  });

  test('sees every alert where it should be, and nowhere else', async () => {
    const [code, output] = await run([
      ...['promtool', 'test', 'rules', 'prometheus/svc-alerts.test.yaml'],
    ]);
    expect([code, output]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });

  test('can read every query of the dashboard', async () => {
    const file = join(home, 'queries.json');
    const recorded = queries.map(({ expr }, i) => ({
      record: `query:${i}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    await Bun.write(file, JSON.stringify({ groups: [{ name: 'queries', rules: recorded }] }));
    const [code, output] = await run(['promtool', 'check', 'rules', file]);
    expect([code, output]).toEqual([0, expect.stringContaining(`${queries.length} rules found`)]);
  });
});
