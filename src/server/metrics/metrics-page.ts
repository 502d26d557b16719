/** docs/metrics.md, made from the instruments. */

import type { Instrument } from '#observe';
import { prometheusName } from '#telemetry';
import { ServerLifecycle } from '../lifecycle.ts';
import { Metrics } from './metrics.ts';

const preface = `# Metrics

\`GET /metrics\` answers these in the text format of Prometheus, unless \`--metrics false\` says otherwise. Attributes have few values each: no name of a table, no key, no address.
Probes and scrapes that succeed are not counted. Durations are histograms with bounds from 1 ms to 2 minutes. What grows only begins with the process; a counter of the store begins when the store is opened.

| name in Prometheus | name | | unit | |
|---|---|---|---|---|
`;

const kinds: Readonly<Record<Instrument['kind'], string>> = {
  counter: 'grows only',
  sum: 'up and down',
  gauge: 'up and down, no sum over processes',
  histogram: 'histogram',
};

/** The clock is not read: nothing is measured for this page. */
export function metricsPage(): string {
  const clock = { monotonicMs: () => 0, unixMs: () => 0 };
  const { availability } = new ServerLifecycle(clock);
  const metrics = new Metrics({ engine: () => undefined, availability });
  const rows = metrics
    .instruments()
    .map(
      (instrument) =>
        `| \`${prometheusName(instrument)}\` | \`${instrument.name}\` | ${kinds[instrument.kind]} | ${instrument.unit.replace(/[{}]/g, '')} | ${instrument.description} |`,
    );
  return `${preface}${rows.join('\n')}\n`;
}
