/** The resource `Database`, as users write it: one policy for a writer and its readers (docs/kubernetes.md). */

import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import { type StoreOption, storeOptions } from '#server';

export const group = 'svc.dev';
export const version = 'v1alpha1';
export const kind = 'Database';
export const plural = 'databases';

/** Longer ones leave no room for `-writer` and `-reader` in the names of services. */
export const nameLengthMax = 50;

/** What such a secret holds. */
export const credentialKeys = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;

const text = (description: string, options = {}) =>
  Type.String({ description, minLength: 1, ...options });
const choice = (description: string, choices: readonly string[], otherwise?: string) =>
  Type.String({
    description,
    enum: choices,
    ...(otherwise === undefined ? {} : { default: otherwise }),
  });
const count = (description: string, minimum: number, maximum: number, otherwise: number) =>
  Type.Integer({ description, minimum, maximum, default: otherwise });

const authentication = Type.Object(
  {
    credentialsSecretRef: Type.Optional(
      Type.Object(
        { name: text('The name of the secret.') },
        { description: `A secret with ${credentialKeys.join(' and ')}.` },
      ),
    ),
    serviceAccountName: Type.Optional(
      text('An account of the cluster, whose pods have these variables from elsewhere.'),
    ),
  },
  {
    description: 'How the bucket is entered: one of the two.',
    'x-kubernetes-validations': [
      {
        rule: 'has(self.credentialsSecretRef) != has(self.serviceAccountName)',
        message: 'either credentialsSecretRef or serviceAccountName',
      },
    ],
  },
);

const storage = Type.Object(
  {
    bucket: text('The bucket.', { maxLength: 63 }),
    prefix: text('Where in the bucket.', { default: 'svc', maxLength: 512 }),
    region: text('The region of the bucket.', { default: 'us-east-1', maxLength: 64 }),
    endpoint: Type.Optional(
      text('Another S3 server than AWS.', { pattern: '^https?://', maxLength: 512 }),
    ),
    authentication,
  },
  {
    description: 'Where the data are. For ever: another place is another database.',
    'x-kubernetes-validations': [
      'self.bucket == oldSelf.bucket',
      'self.prefix == oldSelf.prefix',
      'self.region == oldSelf.region',
      'has(self.endpoint) == has(oldSelf.endpoint) && (!has(self.endpoint) || self.endpoint == oldSelf.endpoint)',
    ].map((rule) => ({ rule, message: 'the place of a database cannot change' })),
  },
);

const route = Type.Object(
  {
    hostname: text('The name under which clients outside of the cluster find the writer.', {
      maxLength: 253,
    }),
    scheme: choice('Whether the ingress speaks TLS.', ['http', 'https'], 'https'),
    tlsSecretName: Type.Optional(text('The secret with the certificate of the ingress.')),
  },
  { description: 'An ingress in front of the writer. The server itself speaks no TLS.' },
);

const logging = Type.Object(
  {
    level: choice('What is logged at all.', ['error', 'warn', 'info', 'debug'], 'info'),
    format: choice('How it is logged.', ['text', 'json', 'logfmt'], 'json'),
    programs: Type.Boolean({ description: 'Whether each program has a line.', default: false }),
    slowMs: count(
      'Programs that take as long have one, with what they are; 0 for none.',
      0,
      3_600_000,
      500,
    ),
  },
  { description: 'The log of each process, on its standard error.', default: {} },
);

const telemetry = Type.Object(
  {
    endpoint: Type.Optional(
      text('Base of a collector that takes OTLP over HTTP.', { pattern: '^https?://' }),
    ),
    traceSamplePercent: Type.Number({
      description: 'Traced requests out of a hundred, of those that come without a decision.',
      minimum: 0,
      maximum: 100,
      default: 1,
    }),
    diagnostics: choice(
      'The most that a request may learn of what its program did. Write "off" in quotes: YAML 1.1 reads off as false.',
      ['off', 'summary', 'detailed', 'full'],
      'summary',
    ),
    metrics: Type.Boolean({ description: 'Whether GET /metrics answers.', default: true }),
  },
  { description: 'What is told to the outside.', default: {} },
);

const relationCache = Type.Object(
  {
    sizeMiB: count('Memory for answers that only read; 0 for none.', 0, 1 << 20, 128),
    entries: count('The most of them.', 1, 1 << 20, 4096),
    maxResultSizeMiB: count('The largest of them.', 1, 1024, 8),
  },
  { description: 'Answers that are kept with the state they show.', default: {} },
);

/** `decodedCacheSizeMib` for `--store-decoded-cache-size-mib`. */
export function memberOf(option: string): string {
  return option
    .replace(/^store-/, '')
    .replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Where the parts of tables lie is the operator's to say: on a volume of the pod. */
const ownPath = 'store-object-cache-path';

function storeMember({ argument, name, description }: StoreOption): TSchema {
  const about = `\`--${name}\`: ${description}.`;
  if (argument === '<n>') return Type.Integer({ description: about, minimum: 0 });
  if (argument === '[boolean]') return Type.Boolean({ description: about });
  return choice(about, argument.slice(1, -1).split('|'));
}

const store = Type.Object(
  Object.fromEntries(
    storeOptions
      .filter(({ name }) => name !== ownPath)
      .map((option) => [memberOf(option.name), Type.Optional(storeMember(option))]),
  ),
  { description: 'Tuning of the storage, as the flags of `svc serve` have it.' },
);

const spec = Type.Object(
  {
    image: Type.Optional(text('Another image than that of the operator.')),
    storage,
    catalogMode: choice('Who changes the schema.', ['direct', 'schema'], 'schema'),
    readers: count('Processes that read what the writer writes.', 0, 32, 0),
    route: Type.Optional(route),
    logging,
    telemetry,
    relationCache,
    store: Type.Optional(store),
    resources: Type.Optional(
      Type.Object(
        {},
        {
          description: 'Requests and limits of each container, as Kubernetes has them.',
          'x-kubernetes-preserve-unknown-fields': true,
        },
      ),
    ),
    terminationGracePeriodSeconds: count('What a pod has to stop.', 30, 3600, 120),
  },
  {
    'x-kubernetes-validations': [
      {
        rule: 'self.catalogMode == oldSelf.catalogMode',
        message: 'the catalog mode of a database cannot change',
      },
    ],
  },
);

const condition = Type.Object({
  type: Type.String(),
  status: Type.String({ enum: ['True', 'False', 'Unknown'] }),
  reason: Type.String(),
  message: Type.String(),
  lastTransitionTime: Type.String({ format: 'date-time' }),
  observedGeneration: Type.Optional(Type.Integer()),
});

const status = Type.Object({
  observedGeneration: Type.Optional(Type.Integer()),
  writerServiceName: Type.Optional(Type.String()),
  readerServiceName: Type.Optional(Type.String()),
  desiredReaders: Type.Optional(Type.Integer()),
  readyReaders: Type.Optional(Type.Integer()),
  conditions: Type.Optional(Type.Array(condition)),
});

export const databaseSchema = { spec, status } satisfies Record<string, TObject>;
export type DatabaseSpec = Omit<Static<typeof spec>, 'store'> & {
  readonly store?: Readonly<Record<string, boolean | number | string>>;
};
export type DatabaseStatus = Static<typeof status>;
export type Condition = Static<typeof condition>;

interface ObjectMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
}

/** A resource as the API server gives it: defaults are filled in. */
export interface Database {
  readonly metadata: ObjectMeta;
  readonly spec: DatabaseSpec;
  readonly status?: DatabaseStatus;
}
