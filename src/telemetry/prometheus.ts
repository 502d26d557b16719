/** Formats instruments in the Prometheus text format. */

import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { emptyResource } from '@opentelemetry/resources';
import type { Instrument } from '#observe';
import { collect } from './collection.ts';

export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8';

/** Name suffixes by unit. A unit in braces, such as `{programs}`, has no suffix. */
const suffixes: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes', '1': '_ratio' };

/**
 * Returns the Prometheus name: `svc.program.duration` in seconds becomes `svc_program_duration_seconds`. The name of a
 * counter ends in `_total`.
 */
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
