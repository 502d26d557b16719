/** A collector of OpenTelemetry for tests: takes OTLP over HTTP as JSON, and refuses whatever the protocol does not know. */

import { expect } from 'bun:test';

type Scalar = string | number | boolean;
export type Attributes = Readonly<Record<string, Scalar>>;

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: number;
  readonly beganNs: bigint;
  readonly endedNs: bigint;
  readonly attributes: Attributes;
  readonly events: readonly { readonly name: string; readonly attributes: Attributes }[];
  /** 0 unset, 1 ok, 2 error. */
  readonly status: number;
  readonly resource: Attributes;
}

export interface Metric {
  readonly name: string;
  readonly unit: string;
  readonly points: readonly Attributes[];
  readonly resource: Attributes;
}

type Json = Readonly<Record<string, unknown>>;

/** A message of the protocol: its members, all others are refused. */
function message(value: unknown, members: readonly string[]): Json {
  expect(typeof value === 'object' && value !== null && !Array.isArray(value)).toBe(true);
  const json = value as Json;
  expect(Object.keys(json).filter((name) => !members.includes(name))).toEqual([]);
  return json;
}

function list(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  expect(Array.isArray(value)).toBe(true);
  return value as readonly unknown[];
}

/** Ids are hexadecimal; all zeros is none at all. */
function id(value: unknown, digits: number): string {
  expect(value).toMatch(new RegExp(`^[0-9a-f]{${digits}}$`));
  expect(value).not.toMatch(/^0+$/);
  return value as string;
}

function fixed64(value: unknown): bigint {
  expect(String(value)).toMatch(/^\d{1,20}$/);
  return BigInt(value as string);
}

function attributesOf(value: unknown): Attributes {
  const found: Record<string, Scalar> = {};
  for (const one of list(value)) {
    const { key, value: any } = message(one, ['key', 'value']);
    const kinds = ['stringValue', 'intValue', 'doubleValue', 'boolValue'];
    const entries = Object.entries(message(any, kinds));
    expect([key, entries.length]).toEqual([key, 1]);
    const [kind, scalar] = entries[0] as [string, Scalar];
    const type = { stringValue: 'string', boolValue: 'boolean' }[kind];
    if (type !== undefined) expect([key, typeof scalar]).toEqual([key, type]);
    expect(Object.hasOwn(found, key as string)).toBe(false);
    found[key as string] = kind === 'intValue' ? Number(scalar) : scalar;
  }
  return found;
}

const spanMembers = [
  'traceId',
  'spanId',
  'parentSpanId',
  'traceState',
  'flags',
  'name',
  'kind',
  'startTimeUnixNano',
  'endTimeUnixNano',
  'attributes',
  'droppedAttributesCount',
  'events',
  'droppedEventsCount',
  'links',
  'droppedLinksCount',
  'status',
];

function spanOf(value: unknown, resource: Attributes): Span {
  const span = message(value, spanMembers);
  const { code = 0 } = message(span['status'] ?? {}, ['code', 'message']);
  expect([span['droppedAttributesCount'] ?? 0, span['droppedEventsCount'] ?? 0]).toEqual([0, 0]);
  const beganNs = fixed64(span['startTimeUnixNano']);
  const endedNs = fixed64(span['endTimeUnixNano']);
  expect(beganNs <= endedNs).toBe(true);
  return {
    traceId: id(span['traceId'], 32),
    spanId: id(span['spanId'], 16),
    parentSpanId: span['parentSpanId'] === undefined ? '' : id(span['parentSpanId'], 16),
    traceState: (span['traceState'] as string | undefined) ?? '',
    name: span['name'] as string,
    kind: span['kind'] as number,
    beganNs,
    endedNs,
    attributes: attributesOf(span['attributes']),
    events: list(span['events']).map((one) => {
      const members = ['timeUnixNano', 'name', 'attributes', 'droppedAttributesCount'];
      const event = message(one, members);
      fixed64(event['timeUnixNano']);
      return { name: event['name'] as string, attributes: attributesOf(event['attributes']) };
    }),
    status: code as number,
    resource,
  };
}

function metricOf(value: unknown, resource: Attributes): Metric {
  const kinds = ['gauge', 'sum', 'histogram'];
  const metric = message(value, ['name', 'description', 'unit', ...kinds]);
  const kind = kinds.find((one) => metric[one] !== undefined);
  expect([metric['name'], kind]).not.toEqual([metric['name'], undefined]);
  const members = ['dataPoints', 'aggregationTemporality', 'isMonotonic'];
  const points = list(message(metric[kind as string], members)['dataPoints']);
  return {
    name: metric['name'] as string,
    unit: metric['unit'] as string,
    points: points.map((point) => attributesOf((point as Json)['attributes'])),
    resource,
  };
}

export class OtlpCollector {
  readonly spans: Span[] = [];
  readonly metrics: Metric[] = [];
  readonly paths = new Set<string>();
  /** What was not as the protocol has it. */
  readonly refused: unknown[] = [];
  private readonly server: Bun.Server<undefined>;

  constructor() {
    this.server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        const { pathname } = new URL(request.url);
        this.paths.add(pathname);
        try {
          expect(request.headers.get('content-type')).toBe('application/json');
          this.take(await request.json());
        } catch (error) {
          this.refused.push(error);
          return new Response(null, { status: 400 });
        }
        return Response.json({});
      },
    });
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  /** All spans so far; the next call has none of them. */
  takeSpans(): readonly Span[] {
    expect(this.refused).toEqual([]);
    return this.spans.splice(0);
  }

  stop(): Promise<void> {
    return this.server.stop(true);
  }

  private take(value: unknown): void {
    const request = message(value, ['resourceSpans', 'resourceMetrics']);
    for (const one of list(request['resourceSpans'])) {
      const { resource, scopes } = scopesOf(one, 'scopeSpans', 'spans');
      this.spans.push(...scopes.map((span) => spanOf(span, resource)));
    }
    for (const one of list(request['resourceMetrics'])) {
      const { resource, scopes } = scopesOf(one, 'scopeMetrics', 'metrics');
      this.metrics.push(...scopes.map((metric) => metricOf(metric, resource)));
    }
  }
}

function scopesOf(value: unknown, scopes: string, items: string) {
  const part = message(value, ['resource', scopes, 'schemaUrl']);
  const resource = message(part['resource'], ['attributes', 'droppedAttributesCount']);
  return {
    resource: attributesOf(resource['attributes']),
    scopes: list(part[scopes]).flatMap((one) =>
      list(message(one, ['scope', items, 'schemaUrl'])[items]),
    ),
  };
}
