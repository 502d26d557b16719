/** The resource `Database`, as users write it: one configuration for a writer and its readers (docs/kubernetes.md). */

import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import { type StoreOption, storeOptions } from '#server';
import { clientAuthentication, tls } from './access-members.ts';
import { choice, count, text } from './member-types.ts';

export const group = 'svc.dev';
export const version = 'v1alpha1';
export const kind = 'Database';
export const plural = 'databases';

/** Maximum length of a name. A longer name would leave no room for `-writer` and `-reader` in the names of services. */
export const nameLengthMax = 50;

/** The keys that a secret with credentials must contain. */
export const credentialKeys = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;

const bucketAuthentication = Type.Object(
  {
    credentialsSecretRef: Type.Optional(
      Type.Object(
        { name: text('Name of the secret.') },
        { description: `Secret with the keys ${credentialKeys.join(' and ')}.` },
      ),
    ),
    serviceAccountName: Type.Optional(
      text('Service account of the pods. The cluster provides the credentials to its pods.'),
    ),
  },
  {
    description: 'Credentials for the bucket. Exactly one of the two members is required.',
    'x-kubernetes-validations': [
      {
        rule: 'has(self.credentialsSecretRef) != has(self.serviceAccountName)',
        message: 'set either credentialsSecretRef or serviceAccountName',
      },
    ],
  },
);

const storage = Type.Object(
  {
    bucket: text('Name of the bucket.', { maxLength: 63 }),
    prefix: text('Prefix of the object names in the bucket.', { default: 'svc', maxLength: 512 }),
    region: text('Region of the bucket.', { default: 'us-east-1', maxLength: 64 }),
    endpoint: Type.Optional(
      text('URL of an S3-compatible server other than AWS.', {
        pattern: '^https?://',
        maxLength: 512,
      }),
    ),
    insecure: Type.Optional(
      Type.Boolean({ description: 'Permits an endpoint with http://: data travels unencrypted.' }),
    ),
    authentication: bucketAuthentication,
  },
  {
    description:
      'Storage location of the data. It cannot change: another location is another database.',
    'x-kubernetes-validations': [
      'self.bucket == oldSelf.bucket',
      'self.prefix == oldSelf.prefix',
      'self.region == oldSelf.region',
      'has(self.endpoint) == has(oldSelf.endpoint) && (!has(self.endpoint) || self.endpoint == oldSelf.endpoint)',
    ].map((rule) => ({ rule, message: 'the storage location of a database cannot change' })),
  },
);

const route = Type.Object(
  {
    hostname: text('Host name under which clients outside the cluster reach the writer.', {
      maxLength: 253,
    }),
    scheme: choice(
      'Protocol of the ingress. With https, the ingress terminates TLS.',
      ['http', 'https'],
      'https',
    ),
    tlsSecretName: Type.Optional(text('Secret with the certificate of the ingress.')),
  },
  {
    description:
      'An ingress that routes requests to the writer. With spec.tls.secretName the ingress must use HTTPS for the pods, too.',
  },
);

const logging = Type.Object(
  {
    level: choice(
      'Lowest level of the events that are logged.',
      ['error', 'warn', 'info', 'debug'],
      'info',
    ),
    format: choice('Format of the log lines.', ['text', 'json', 'logfmt'], 'json'),
    programs: Type.Boolean({ description: 'Whether each program is logged.', default: false }),
    slowMs: count(
      'Programs that take at least this many milliseconds are logged as warnings, with their statements but without literals. 0 turns this off.',
      0,
      3_600_000,
      500,
    ),
  },
  { description: 'Log of each process, written to its standard error.', default: {} },
);

const telemetry = Type.Object(
  {
    endpoint: Type.Optional(
      text('Base URL of a collector that accepts OTLP over HTTP.', { pattern: '^https?://' }),
    ),
    traceSamplePercent: Type.Number({
      description:
        'Percentage of traced requests, among the requests without a sampling decision of their caller.',
      minimum: 0,
      maximum: 100,
      default: 1,
    }),
    diagnostics: choice(
      'Maximum level of execution details that a request can ask for. Write "off" in quotes: YAML 1.1 reads off as false.',
      ['off', 'summary', 'detailed', 'full'],
      'summary',
    ),
    metrics: Type.Boolean({
      description: 'Whether the server serves GET /metrics.',
      default: true,
    }),
  },
  { description: 'Traces, metrics and execution details of the processes.', default: {} },
);

const relationCache = Type.Object(
  {
    sizeMiB: count('Memory for cached results, in MiB. 0 turns the cache off.', 0, 1 << 20, 128),
    entries: count('Maximum number of cached results.', 1, 1 << 20, 4096),
    maxResultSizeMiB: count('Maximum size of one cached result, in MiB.', 1, 1024, 8),
  },
  {
    description:
      'Cache of the results of programs that only read. A result is valid until a table that it reads changes.',
    default: {},
  },
);

/** Converts the name of a flag to a member name: `--store-decoded-cache-size-mib` becomes `decodedCacheSizeMib`. */
export function memberOf(option: string): string {
  return option
    .replace(/^store-/, '')
    .replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The operator sets the path of the object cache to a volume of the pod, so the resource has no member for it. */
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
  { description: 'Settings of the storage, as in the flags of `svc serve`.' },
);

const spec = Type.Object(
  {
    image: Type.Optional(
      text('Image of the pods, if it differs from the default image of the operator.'),
    ),
    storage,
    authentication: Type.Optional(clientAuthentication),
    tls: Type.Optional(tls),
    catalogMode: choice(
      'With direct, programs, the catalog API and migrations change the schema. With schema, only migrations do. It cannot change.',
      ['direct', 'schema'],
      'schema',
    ),
    readers: count('Number of read-only readers next to the writer.', 0, 32, 0),
    route: Type.Optional(route),
    logging,
    telemetry,
    relationCache,
    store: Type.Optional(store),
    resources: Type.Optional(
      Type.Object(
        {},
        {
          description: 'Resource requests and limits of each container, in the form of Kubernetes.',
          'x-kubernetes-preserve-unknown-fields': true,
        },
      ),
    ),
    terminationGracePeriodSeconds: count(
      'Time in seconds that a pod has to shut down.',
      30,
      3600,
      120,
    ),
  },
  {
    'x-kubernetes-validations': [
      {
        rule: 'self.catalogMode == oldSelf.catalogMode',
        message: 'the catalog mode of a database cannot change',
      },
      {
        rule: "!has(self.authentication) || self.authentication.mode == 'none' || has(self.tls)",
        message:
          'clients may send their keys and tokens only by TLS: set tls.secretName, or tls.behindProxy',
      },
      {
        rule: "!has(self.authentication) || self.authentication.mode == 'none' || !has(self.route) || self.route.scheme == 'https'",
        message: 'clients may send their keys and tokens only by TLS: set route.scheme to https',
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
  adminKeySecretName: Type.Optional(Type.String()),
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

/** A resource as the API server returns it, with all defaults set. */
export interface DatabaseResource {
  readonly metadata: ObjectMeta;
  readonly spec: DatabaseSpec;
  readonly status?: DatabaseStatus;
}
