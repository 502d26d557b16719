/** Decides which requests are traced: by their `traceparent` header or at random. */

/**
 * The sampler of the OpenTelemetry environment variables. With `parentBased`, the sampling flag of the `traceparent`
 * header decides, if the request has one.
 */
export interface Sampling {
  readonly parentBased: boolean;
  /** The share of all other requests that is traced, from 0 to 1. */
  readonly ratio: number;
}

const samplers: Readonly<Record<string, (ratio: number) => Sampling>> = {
  always_on: () => ({ parentBased: false, ratio: 1 }),
  always_off: () => ({ parentBased: false, ratio: 0 }),
  traceidratio: (ratio) => ({ parentBased: false, ratio }),
  parentbased_always_on: () => ({ parentBased: true, ratio: 1 }),
  parentbased_always_off: () => ({ parentBased: true, ratio: 0 }),
  parentbased_traceidratio: (ratio) => ({ parentBased: true, ratio }),
};

export const samplerNames: readonly string[] = Object.keys(samplers);

/** Returns the sampler of this name. `name` must be one of `samplerNames`. */
export function samplingOf(name: string, ratio: number): Sampling {
  return (samplers[name] as (ratio: number) => Sampling)(ratio);
}

/** The content of the header `traceparent` (W3C Trace Context). */
export interface Parent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Parses the header `traceparent`. Returns `undefined` if the header is absent or malformed: the request then begins a
 * new trace.
 */
export function parentOf(header: string | null): Parent | undefined {
  const parts = header === null ? null : pattern.exec(header);
  if (parts === null) return undefined;
  const [, version, traceId, spanId, flags, more] = parts as unknown as readonly string[];
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId as string) || /^0+$/.test(spanId as string)) return undefined;
  return {
    traceId: traceId as string,
    spanId: spanId as string,
    isSampled: (Number.parseInt(flags as string, 16) & 1) === 1,
  };
}

/** Decides whether a request is traced. `chance` returns a random number from 0 to 1. */
export function isSampled(
  { parentBased, ratio }: Sampling,
  parent: Parent | undefined,
  chance: () => number,
): boolean {
  if (parentBased && parent !== undefined) return parent.isSampled;
  if (ratio <= 0) return false;
  return ratio >= 1 || chance() < ratio;
}
