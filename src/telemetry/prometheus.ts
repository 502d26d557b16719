/** Instruments as the text that Prometheus scrapes. */

import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { emptyResource } from '@opentelemetry/resources';
import type { Instrument } from '#observe';
import { collect } from './collection.ts';

export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8';

/** Suffixes of names, by unit: what is counted in words has none. */
const suffixes: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes', '1': '_ratio' };

/** `svc.program.duration` in seconds is `svc_program_duration_seconds`; what only grows ends in `_total`. */
export function prometheusName(instrument: Pick<Instrument, 'kind' | 'name' | 'unit'>): string {
  const name = withUnit(instrument);
  return instrument.kind === 'counter' ? `${name}_total` : name;
}

function withUnit({ name, unit }: Pick<Instrument, 'name' | 'unit'>): string {
  const suffix = suffixes[unit] ?? '';
  const plain = name.replaceAll('.', '_');
  return plain.endsWith(suffix) ? plain : plain + suffix;
}

export function prometheusText(instruments: readonly Instrument[]): string {
  const named = instruments.map(
    (instrument): Instrument => ({ ...instrument, name: withUnit(instrument) }),
  );
  const collected = collect(named, emptyResource(), { startMs: 0, nowMs: 0 });
  return `${new PrometheusSerializer('', false, undefined, true, true).serialize(collected)}\n`;
}
