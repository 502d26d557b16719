/** The definition of the resource, and the files in deploy/ that go with it. */

import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { parse } from 'yaml';
import { definitionText, resourceDefinition } from '#operator';
import { storeOptions } from '#server';
import { databaseSchema } from '../../src/operator/resource.ts';
import { runCommand } from '../cli/run.ts';
import { newDirectory } from '../cli/within.ts';
import { readBy11 } from '../support/yaml-1.1.ts';
import { FakeCluster } from './fake-cluster.ts';

const directory = join(import.meta.dir, '../../deploy/kubernetes');
const textOf = (name: string) => readFileSync(join(directory, name), 'utf8');

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly [member: string]: unknown;
}

test('the file in deploy/ is what `npm run build` makes', () => {
  expect(textOf('database-crd.yaml')).toBe(definitionText());
  expect(parse(definitionText())).toEqual(resourceDefinition());
});

test('YAML 1.1 reads the printed definition as it is meant: `off` is a level of diagnostics', async () => {
  const { stdout } = await runCommand(['operator', '--print-crd']);
  expect(readBy11(stdout)).toEqual(resourceDefinition());
  expect(stdout).toContain('- "off"');
});

/** What the API server demands of a structural schema, and what it takes no notice of. */
const known = [
  'type',
  'description',
  'default',
  'enum',
  'required',
  'properties',
  'items',
  'pattern',
  'format',
];
const bounds = ['minimum', 'maximum', 'minLength', 'maxLength'];
const marks = ['x-kubernetes-validations', 'x-kubernetes-preserve-unknown-fields'];

function wrongIn(schema: Schema, at: string): string[] {
  const members = Object.keys(schema).filter(
    (name) => ![...known, ...bounds, ...marks].includes(name),
  );
  const demanded = ((schema['required'] ?? []) as readonly string[]).filter(
    (name) => schema.properties?.[name]?.['default'] !== undefined,
  );
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, one]) =>
    wrongIn(one, `${at}.${name}`),
  );
  const items = schema.items === undefined ? [] : wrongIn(schema.items, `${at}[]`);
  return [
    ...(schema.type === undefined ? [`${at} has no type`] : []),
    ...members.map((name) => `${at} has ${name}`),
    ...demanded.map((name) => `${at} demands ${name}, which has a default`),
    ...inner,
    ...items,
  ];
}

test('its schema is one that API servers take', () => {
  const { spec } = resourceDefinition() as {
    readonly spec: {
      readonly versions: readonly [{ readonly schema: { readonly openAPIV3Schema: Schema } }];
    };
  };
  const schema = spec.versions[0].schema.openAPIV3Schema;
  expect(wrongIn(schema, 'database')).toEqual([]);
  expect(wrongIn({ type: 'object', properties: { a: { const: 1 } } }, 'x')).toEqual([
    'x.a has no type',
    'x.a has const',
  ]);
  const store = schema.properties?.['spec']?.properties?.['store']?.properties ?? {};
  // All tuning but the directory, which is the operator's to choose.
  expect(Object.keys(store)).toHaveLength(storeOptions.length - 1);
  expect(store['decodedCacheSizeMib']?.type).toBe('integer');
  expect(store['commitDurability']?.['enum']).toEqual(['durable', 'memory']);
});

test('the example is a database, and each of its members is known', () => {
  const example = parse(textOf('database.example.yaml')) as {
    kind: string;
    apiVersion: string;
    spec: { resources?: object };
  };
  const { group, names, versions } = (
    resourceDefinition() as {
      spec: { group: string; names: { kind: string }; versions: { name: string }[] };
    }
  ).spec;
  expect([example.apiVersion, example.kind]).toEqual([`${group}/${versions[0]?.name}`, names.kind]);
  const whole = Value.Default(databaseSchema.spec, structuredClone(example.spec));
  expect([...Value.Errors(databaseSchema.spec, whole)]).toEqual([]);
  const { resources, ...spec } = example.spec;
  expect(resources).toHaveProperty('limits');
  expect(Value.Clean(databaseSchema.spec, structuredClone(spec))).toEqual(spec);
});

test('the command does one round against an API server, with the token of its file', async () => {
  const cluster = new FakeCluster();
  cluster.secret('keys', { AWS_ACCESS_KEY_ID: 'YQ==', AWS_SECRET_ACCESS_KEY: 'Yg==' });
  const authentication = { credentialsSecretRef: { name: 'keys' } };
  cluster.create('shop', {
    storage: { bucket: 'data', authentication },
    authentication: { mode: 'none' },
  });
  const tokenFile = join(newDirectory(), 'token');
  writeFileSync(tokenFile, 'of the pod\n');
  const tokens = new Set<string | null>();
  using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      tokens.add(request.headers.get('authorization'));
      const body = request.method === 'GET' ? undefined : await request.text();
      return cluster.fetch(request.url, {
        method: request.method,
        ...(body === undefined ? {} : { body }),
      });
    },
  });
  const flags = ['--image', 'svc:2', '--namespace', 'default', '--token-file', tokenFile];
  const argv = ['operator', '--api-server', `http://127.0.0.1:${server.port}/`, ...flags, '--once'];
  const first = await runCommand(argv);
  // Not ready yet: no pods run here.
  expect([first.exitCode, first.stderr]).toEqual([1, expect.stringContaining('operator.database')]);
  expect(JSON.stringify(cluster.objects.get('deployments/default/shop-writer'))).toContain(
    '"image":"svc:2"',
  );
  expect([...tokens]).toEqual(['Bearer of the pod']);
  cluster.rollOut('shop-writer');
  expect((await runCommand(argv)).exitCode).toBe(0);
});

test.each([
  [[], '--image is not set'],
  [['--image', 'x'], '--api-server is not set'],
  [['--image', 'x', '--api-server', 'http://127.0.0.1:1'], '--namespace is not set'],
  [
    ['--image', 'x', '--api-server', 'http://127.0.0.1:1', '--namespace', 'a', '--all-namespaces'],
    '--namespace is "a"',
  ],
  [['--image', 'x', '--api-server', 'nowhere', '--namespace', 'a'], '--api-server is "nowhere"'],
  [
    [
      '--image',
      'x',
      '--api-server',
      'http://127.0.0.1:1',
      '--namespace',
      'a',
      '--ca-file',
      '/nowhere',
    ],
    '--ca-file is "/nowhere"',
  ],
  [['--image', 'x', '--resync-seconds', '0'], 'Expected an integer from 1 to 3600'],
])('svc operator %j is refused: %s', async (flags, message) => {
  const { exitCode, stderr } = await runCommand(['operator', ...flags]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});
