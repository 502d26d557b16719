/** The export of traces and metrics, and the sampling of requests: `--otel-endpoint`, and the variables of OpenTelemetry. */

import { type Sampling, samplerNames, samplingOf } from '#telemetry';
import { type Option, oneOf, refusal, wholeNumber } from './option.ts';

export interface OtelConfiguration {
  /** URL of the collector, without a trailing slash. */
  readonly endpoint: string;
  readonly sampling: Sampling;
  /** Timeout of one request to the collector. */
  readonly timeoutMs: number;
}

interface OtelOptions {
  readonly endpoint: Option;
  readonly sampler: Option;
  readonly ratio: Option;
  readonly timeout: Option;
  readonly disabled: Option;
}

const timeoutRange = { min: 1, max: 600_000, otherwise: 5000 };

/**
 * Returns `undefined` without an endpoint, and if the SDK is disabled. Throws a `RefusedOption` in either case if
 * another option is malformed.
 */
export function otelOf({
  endpoint,
  sampler,
  ratio,
  timeout,
  disabled,
}: OtelOptions): OtelConfiguration | undefined {
  const name = oneOf(sampler, samplerNames, 'parentbased_always_on');
  const sampling = samplingOf(name, ratioOf(ratio));
  const timeoutMs = wholeNumber(timeout, timeoutRange);
  if (endpoint.value === undefined) return undefined;
  const url = URL.parse(endpoint.value);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!isHttp || url.search !== '' || url.hash !== '') {
    throw refusal(endpoint, 'a URL such as http://127.0.0.1:4318, without `/v1/traces`');
  }
  if (isTrue(disabled)) return undefined;
  return { endpoint: url.href.replace(/\/+$/, ''), sampling, timeoutMs };
}

/** Parses a boolean of OpenTelemetry: `true`, in any case of letters, is true, and all other texts are false. */
function isTrue({ value }: Option): boolean {
  return value?.toLowerCase() === 'true';
}

function ratioOf(option: Option): number {
  if (option.value === undefined) return 1;
  const ratio = /^(?:\d+\.?\d*|\.\d+)$/.test(option.value) ? Number(option.value) : Number.NaN;
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw refusal(option, 'a number from 0 to 1');
}
