/** Options of `svc serve`: where a value comes from, and what is refused (docs/cli.md). */

import { describe, expect, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { RefusedOption, readConfiguration } from '#server';

const defaults = {
  address: { host: '127.0.0.1', port: 7237 },
  role: 'write',
  pollMs: 1000,
  storage: 'file',
  storagePath: resolve('svc.data'),
  s3: undefined,
  catalogMode: undefined,
  logLevel: 'info',
  logFormat: 'text',
  bodyBytesMax: 4_194_304,
  queueMax: 1024,
  programMemoryBytes: 256 << 20,
  connectionsMax: undefined,
  corsOrigins: [],
  allowedHosts: [],
  keepAliveMs: 75_000,
  otel: undefined,
  instanceId: 'svc',
  hasMetrics: true,
  hasProgramLog: false,
  capturesCorpus: false,
  admin: undefined,
  slowMs: 500,
  diagnostics: 'detailed',
  arrivingBytesMax: 128 << 20,
  unsentBytesMax: 256 << 20,
  memoryBytes: undefined,
  resultBytesMax: 64 << 20,
  relations: { bytesMax: 128 << 20, entriesMax: 4096, resultBytesMax: 8 << 20 },
  statementTimeoutMs: 60_000,
  tuning: {
    cacheBytes: 128 << 20,
    scansFillCache: false,
    scanReadAheadBytes: 256 << 10,
    scanFetchesMax: 4,
    flushIntervalMs: 100,
    commitDurability: 'durable',
    memtableBytes: 64 << 20,
    logFlushesBeforeFlush: 4096,
    flushedTablesMax: 8,
    flushedTablesPerKeyMax: 8,
    flushParallelism: 4,
    unflushedBytesMax: 1 << 30,
    filterKeysMin: 1000,
    bloomBitsPerKey: 10,
    blockBytes: 32 << 10,
    objectCachePath: '',
    objectCacheBytes: 16 * 2 ** 30,
    objectCachePartBytes: 4 << 20,
    objectCacheOnFlush: false,
    objectCacheOnCompaction: false,
    objectCachePreload: 'none',
  },
  tls: undefined,
  authentication: {
    isSet: false,
    acceptsKeys: false,
    tokens: undefined,
    bootstrapKeyPath: undefined,
  },
  postgres: undefined,
  rateLimit: undefined,
  isInsecure: false,
  isBehindTlsProxy: false,
  trustedProxies: [],
  isStorageShared: false,
  relay: undefined,
  spill: {
    path: resolve('svc.data/tmp/spill'),
    place: 'store',
    limitBytes: undefined,
    reserve: { path: resolve('svc.data'), bytes: 2 ** 31 },
  },
  audit: undefined,
  drainMs: 0,
  drainTimeoutMs: 30_000,
  closeTimeoutMs: 0,
} as const;

test('the defaults', () => {
  expect(readConfiguration({}, {})).toEqual(defaults);
});

test('every flag counts', () => {
  const flags = {
    addr: '[::1]:80',
    'reader-poll-interval-ms': '10',
    storage: 'memory',
    'storage-path': '/data',
    'catalog-mode': 'schema',
    'log-level': 'debug',
    'log-format': 'logfmt',
    'max-body-mib': '1',
    'arriving-mib': '4',
    'max-connections': '5',
    'unsent-mib': '3',
    'max-queue': '0',
    'program-memory-mib': '2',
    'memory-mib': '500',
    'spill-limit-mib': '9',
    'max-result-mib': '7',
    'statement-timeout-ms': '3',
    'keep-alive-timeout-ms': '620000',
    'drain-timeout-ms': '0',
    'store-decoded-cache-size-mib': '16',
  };
  expect(readConfiguration(flags, {})).toEqual({
    ...defaults,
    address: { host: '::1', port: 80 },
    pollMs: 10,
    storage: 'memory',
    storagePath: '/data',
    catalogMode: 'schema',
    logLevel: 'debug',
    logFormat: 'logfmt',
    bodyBytesMax: 1 << 20,
    arrivingBytesMax: 4 << 20,
    connectionsMax: 5,
    unsentBytesMax: 3 << 20,
    queueMax: 0,
    programMemoryBytes: 2 << 20,
    memoryBytes: 500 << 20,
    spill: {
      path: join(tmpdir(), `svc-spill-${process.getuid?.()}`),
      place: 'temporary',
      limitBytes: 9 << 20,
      reserve: undefined,
    },
    resultBytesMax: 7 << 20,
    relations: { bytesMax: 128 << 20, entriesMax: 4096, resultBytesMax: 8 << 20 },
    statementTimeoutMs: 3,
    keepAliveMs: 620_000,
    drainTimeoutMs: 0,
    tuning: { ...defaults.tuning, cacheBytes: 16 << 20 },
  });
});

test.each([
  ['localhost:80', undefined, 'detailed'],
  ['127.1:80', undefined, 'detailed'],
  ['[::1]:80', 'summary', 'summary'],
  [':80', undefined, 'summary'],
  ['10.0.0.1:80', undefined, 'summary'],
  ['db.example:80', undefined, 'summary'],
  ['10.0.0.1:80', 'full', 'full'],
] as const)('diagnostics at %s with %p: %s', (addr, diagnostics, level) => {
  expect(readConfiguration({ addr, diagnostics }, {}).diagnostics).toBe(level);
});

describe('a collector', () => {
  const of = (flags: Record<string, string>, env: Record<string, string> = {}) =>
    readConfiguration(flags, env);

  test('stands without a slash at its end, and may come from the variables of OpenTelemetry', () => {
    const endpoint = 'http://127.0.0.1:4318';
    const sampling = { parentBased: true, ratio: 1 };
    expect(of({ 'otel-endpoint': `${endpoint}/` }).otel).toEqual({
      endpoint,
      sampling,
      timeoutMs: 5000,
    });
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '.25',
    };
    expect(of({}, { ...env, OTEL_EXPORTER_OTLP_TIMEOUT: '250' }).otel).toEqual({
      endpoint,
      sampling: { parentBased: false, ratio: 0.25 },
      timeoutMs: 250,
    });
    const ours = 'http://127.0.0.2:4318';
    expect(of({}, { ...env, SVC_OTEL_ENDPOINT: ours }).otel?.endpoint).toBe(ours);
  });

  test.each(['true', 'TRUE', 'True'])('is none when OTEL_SDK_DISABLED is %s', (disabled) => {
    const env = { OTEL_SDK_DISABLED: disabled };
    expect(of({ 'otel-endpoint': 'http://127.0.0.1:4318' }, env).otel).toBeUndefined();
    expect(
      of({}, { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }).otel,
    ).toBeUndefined();
    // A wrong flag is wrong in any case.
    expect(() => of({ 'otel-endpoint': 'collector:4318' }, env)).toThrow('--otel-endpoint is');
  });

  test.each(['false', '', '1', 'yes', ' true'])('stays when OTEL_SDK_DISABLED is "%s"', (text) => {
    const env = { OTEL_SDK_DISABLED: text };
    expect(of({ 'otel-endpoint': 'http://127.0.0.1:4318' }, env).otel).toBeDefined();
  });

  test('with a wrong address, sampler or share is refused by its name', () => {
    const endpoint = { 'otel-endpoint': 'collector:4318' };
    expect(() => of(endpoint)).toThrow('--otel-endpoint is "collector:4318": expected a URL');
    expect(() => of({}, { OTEL_TRACES_SAMPLER: 'some' })).toThrow('OTEL_TRACES_SAMPLER is "some"');
    expect(() => of({}, { OTEL_TRACES_SAMPLER_ARG: '2' })).toThrow(
      'OTEL_TRACES_SAMPLER_ARG is "2": expected a number from 0 to 1',
    );
  });

  test('knows this process by the flag, else by the host', () => {
    expect(of({ 'instance-id': 'a' }, { HOSTNAME: 'b' }).instanceId).toBe('a');
    expect(of({}, { HOSTNAME: 'b' }).instanceId).toBe('b');
    expect(of({}).instanceId).toBe('svc');
  });
});

describe('names of the server', () => {
  const given = (hosts: string, auth = 'keys') =>
    readConfiguration({ auth, 'allowed-host': hosts }, {}).allowedHosts;

  test('are separated by commas, in any case of letters', () => {
    expect(given('DB.example, [::1],10.0.0.1')).toEqual(['db.example', '[::1]', '10.0.0.1']);
  });

  test('need authentication', () => {
    expect(() => given('db.example', 'none')).toThrow('only with --auth keys or jwt');
  });

  for (const wrong of ['', '*', 'db.example:443', 'https://db.example', '::1', '.example', 'a,,b'])
    test(`are not ${JSON.stringify(wrong)}`, () => {
      expect(() => given(wrong)).toThrow('without a port');
    });
});

describe('origins of web pages', () => {
  test('are exact, and separated by commas', () => {
    const given = 'https://app.example,http://localhost:3000, tauri://localhost';
    expect(readConfiguration({ 'cors-origin': given }, {}).corsOrigins).toEqual([
      'https://app.example',
      'http://localhost:3000',
      'tauri://localhost',
    ]);
  });

  test('may not be all, without authentication', () => {
    expect(() => readConfiguration({ 'cors-origin': '*' }, {})).toThrow(
      '--cors-origin is "*": expected exact origins; * is not allowed, because without authentication every page',
    );
  });

  test('may be all, with authentication', () => {
    const given = (origins: string) =>
      readConfiguration({ auth: 'keys', 'cors-origin': origins }, {}).corsOrigins;
    expect(given('*')).toEqual(['*']);
    expect(() => given('https://a.example,*')).toThrow('* alone');
  });

  for (const wrong of [
    '',
    'null',
    'app.example',
    'https://app.example/',
    'https://app.example/path',
    'https://app.example:443',
    'HTTPS://app.example',
    'https://App.example',
    'https://*.example',
    'https://user@app.example',
    'https://app.example,,',
  ]) {
    test(`may not be ${JSON.stringify(wrong)}`, () => {
      expect(() => readConfiguration({ 'cors-origin': wrong }, {})).toThrow(
        'expected exact origins such as https://app.example, as a browser sends them',
      );
    });
  }
});

test('bodies on their way have room for one at least', () => {
  const { arrivingBytesMax } = readConfiguration({ 'max-body-mib': '100' }, {});
  expect(arrivingBytesMax).toBe(200 << 20);
});

test('every variable counts, and an empty one is unset', () => {
  const env = {
    SVC_ADDR: ':1',
    SVC_ROLE: 'read',
    SVC_READER_POLL_INTERVAL_MS: '250',
    SVC_STORAGE: '',
    SVC_STORAGE_PATH: 'data',
    SVC_CATALOG_MODE: 'direct',
    SVC_LOG_LEVEL: 'warn',
    SVC_LOG_FORMAT: 'json',
    SVC_MAX_BODY_MIB: '5',
    SVC_ARRIVING_MIB: '19',
    SVC_UNSENT_MIB: '8',
    SVC_MAX_QUEUE: '',
    SVC_PROGRAM_MEMORY_MIB: '6',
    SVC_MEMORY_MIB: '600',
    SVC_SPILL_PATH: 'spilled',
    SVC_SPILL_LIMIT_MIB: '10',
    SVC_MAX_RESULT_MIB: '8',
    SVC_STATEMENT_TIMEOUT_MS: '7',
    SVC_KEEP_ALIVE_TIMEOUT_MS: '90000',
    SVC_DRAIN_TIMEOUT_MS: '11',
    STORE_DECODED_CACHE_SIZE_MIB: '17',
    SVC_SHUTDOWN_DRAIN_MS: '8',
    SVC_CLOSE_TIMEOUT_MS: '9',
  };
  expect(readConfiguration({}, env)).toEqual({
    ...defaults,
    address: { host: '::', port: 1, isEveryInterface: true },
    diagnostics: 'summary',
    role: 'read',
    pollMs: 250,
    storagePath: resolve('data'),
    catalogMode: 'direct',
    logLevel: 'warn',
    logFormat: 'json',
    bodyBytesMax: 5 << 20,
    arrivingBytesMax: 19 << 20,
    unsentBytesMax: 8 << 20,
    programMemoryBytes: 6 << 20,
    memoryBytes: 600 << 20,
    spill: {
      path: resolve('spilled'),
      place: 'configured',
      limitBytes: 10 << 20,
      reserve: { path: resolve('data'), bytes: 2 ** 31 },
    },
    resultBytesMax: 8 << 20,
    relations: { bytesMax: 128 << 20, entriesMax: 4096, resultBytesMax: 8 << 20 },
    statementTimeoutMs: 7,
    keepAliveMs: 90_000,
    drainTimeoutMs: 11,
    tuning: { ...defaults.tuning, cacheBytes: 17 << 20 },
    drainMs: 8,
    closeTimeoutMs: 9,
  });
});

test('a flag beats its variable', () => {
  const { logLevel } = readConfiguration({ 'log-level': 'error' }, { SVC_LOG_LEVEL: 'debug' });
  expect(logLevel).toBe('error');
});

test('programs do not spill if told so, and in memory only where told', () => {
  expect(readConfiguration({ 'spill-path': 'off' }, {}).spill).toBeUndefined();
  expect(readConfiguration({ storage: 'memory', 'spill-path': '/spilled' }, {}).spill).toEqual({
    path: '/spilled',
    place: 'configured',
    limitBytes: undefined,
    reserve: undefined,
  });
  const { spill } = readConfiguration({ 'store-max-unflushed-mib': '100' }, {});
  expect(spill?.reserve?.bytes).toBe(200 << 20);
});

describe('whole numbers, from the smallest to the largest that is allowed', () => {
  const ranges: readonly (readonly [string, number, number])[] = [
    ['max-body-mib', 1, 1024],
    ['reader-poll-interval-ms', 10, 3_600_000],
    ['slow-ms', 0, 600_000],
    ['max-connections', 1, 1_000_000],
    ['keep-alive-timeout-ms', 1000, 3_600_000],
    ['arriving-mib', 8, 65_536],
    ['unsent-mib', 1, 65_536],
    ['max-queue', 0, 1_000_000],
    ['program-memory-mib', 1, 65_536],
    ['memory-mib', 16, 1_048_576],
    ['spill-limit-mib', 1, 1_073_741_824],
    ['max-result-mib', 1, 1024],
    ['relation-cache-size-mib', 0, 1_048_576],
    ['relation-cache-entries', 1, 1_048_576],
    ['relation-cache-max-result-size-mib', 1, 1024],
    ['statement-timeout-ms', 0, 2_147_483_647],
    ['drain-timeout-ms', 0, 2_147_483_647],
  ];

  test.each(ranges)('--%s', (flag, min, max) => {
    const variable = `SVC_${flag.replaceAll('-', '_').toUpperCase()}`;
    // Bodies in progress need memory for the largest body, and only a reader polls.
    const others = {
      ...(flag === 'max-body-mib' && { 'arriving-mib': '2048' }),
      ...(flag === 'reader-poll-interval-ms' && { role: 'read' }),
    };
    for (const value of [min, max].map(String)) {
      const read = readConfiguration({ ...others, [flag]: value }, {});
      expect(readConfiguration(others, { [variable]: value })).toEqual(read);
    }
    for (const value of [min - 1, max + 1, min + 0.5].map(String)) {
      const allowed = `"${value}": expected an integer from ${min} to ${max}`;
      expect(() => readConfiguration({ ...others, [flag]: value }, {})).toThrow(allowed);
      expect(() => readConfiguration(others, { [variable]: value })).toThrow(allowed);
    }
  });
});

describe('refused', () => {
  const range = (from: number, to: number) => `an integer from ${from} to ${to}`;
  const flags: readonly (readonly [string, string, string])[] = [
    ['addr', '7237', 'host:port'],
    ['addr', 'localhost', 'host:port'],
    ['addr', 'localhost:65536', 'a port from 0 to 65535'],
    ['addr', '::1:80', 'host:port'],
    ['addr', '', 'host:port'],
    ['role', 'reader', 'one of write, read'],
    ['reader-poll-interval-ms', '0', range(10, 3_600_000)],
    ['storage', 's4', 'one of file, memory'],
    ['storage', 'Memory', 'one of file, memory'],
    ['storage-path', '', 'a directory'],
    ['catalog-mode', 'yaml', 'one of direct, schema'],
    ['log-level', 'trace', 'one of error, warn, info, debug'],
    ['log-format', 'xml', 'one of text, json, logfmt'],
    ['max-body-mib', '0', range(1, 1024)],
    ['max-body-mib', '1.5', range(1, 1024)],
    ['arriving-mib', '7', range(8, 65_536)],
    ['max-connections', '0', range(1, 1_000_000)],
    ['unsent-mib', '0', range(1, 65_536)],
    ['max-queue', '-1', range(0, 1_000_000)],
    ['spill-path', '', 'a directory, or off'],
    ['spill-limit-mib', '0', range(1, 1_073_741_824)],
    ['program-memory-mib', '1e3', range(1, 65_536)],
    ['statement-timeout-ms', '2147483648', range(0, 2_147_483_647)],
    ['keep-alive-timeout-ms', '0', range(1000, 3_600_000)],
    ['keep-alive-timeout-ms', '3600001', range(1000, 3_600_000)],
    ['store-decoded-cache-size-mib', '15', range(16, 1_048_576)],
  ];
  for (const [flag, value, allowed] of flags) {
    test(`--${flag} ${JSON.stringify(value)}`, () => {
      const read = () => readConfiguration({ [flag]: value }, {});
      expect(read).toThrow(RefusedOption);
      expect(read).toThrow(`--${flag} is "${value}": expected ${allowed}`.slice(0, 30));
      expect(read).toThrow(allowed);
    });
  }

  test('memory that nobody else writes', () => {
    const read = () => readConfiguration({ role: 'read', storage: 'memory' }, {});
    expect(read).toThrow('--storage is "memory": expected file or s3 with --role read');
  });

  test('a corpus of a process that writes nothing', () => {
    const flags = { role: 'read', 'capture-workload-corpus': 'true' };
    expect(() => readConfiguration(flags, {})).toThrow(
      '--capture-workload-corpus is "true": expected --relay-target to be set',
    );
    const read = readConfiguration({ ...flags, 'capture-workload-corpus': 'false' }, {});
    expect(read.capturesCorpus).toBe(false);
    const relay = { 'relay-target': 'http://127.0.0.1:1', 'relay-token-file': 'x' };
    expect(readConfiguration({ ...flags, ...relay }, {}).capturesCorpus).toBe(true);
    const { capturesCorpus } = readConfiguration({}, { SVC_CAPTURE_WORKLOAD_CORPUS: 'true' });
    expect(capturesCorpus).toBe(true);
  });

  test.each(['/data', '/data/', '/data/spilled'])('%s beside a store in /data', (path) => {
    const read = () => readConfiguration({ 'storage-path': '/data', 'spill-path': path }, {});
    expect(read).toThrow('expected a directory outside --storage-path');
    expect(
      readConfiguration({ 'storage-path': '/data', 'spill-path': '/data-spilled' }, {}).spill?.path,
    ).toBe('/data-spilled');
  });

  test('a variable by its own name', () => {
    const read = () => readConfiguration({}, { SVC_SHUTDOWN_DRAIN_MS: 'soon' });
    expect(read).toThrow('SVC_SHUTDOWN_DRAIN_MS is "soon": expected an integer');
  });
});
