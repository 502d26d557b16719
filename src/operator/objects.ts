/** Computes the cluster objects of a database, as a pure function of the resource. */

import {
  cacheDirectory,
  environmentOf,
  httpPort,
  identityOf,
  keepsParts,
  spillDirectory,
} from './environment.ts';
import { hasCertificate, type Role, type SecretVolume, secretVolumesOf } from './pod-access.ts';
import { type DatabaseResource, type DatabaseSpec, group, kind, version } from './resource.ts';

export interface ClusterObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly [member: string]: unknown;
  };
  readonly [member: string]: unknown;
}

interface Setting {
  /** The image if the resource names none. */
  readonly image: string;
  /** A digest of the secret. Changed credentials change the template, so that Kubernetes replaces the pods. */
  readonly credentialsDigest: string | undefined;
}

type Component = 'writer' | 'reader';

const roles: Readonly<Record<Component, Role>> = { writer: 'write', reader: 'read' };
const cacheSlackMib = 256;
const spillMib = 4096;
/** The user ID of the container image. */
const nobody = 65_532;

/** Returns the objects that must exist. */
export function objectsOf(database: DatabaseResource, setting: Setting): readonly ClusterObject[] {
  const { spec } = database;
  const own = spec.storage.authentication.serviceAccountName === undefined;
  return [
    ...(own ? [accountOf(database)] : []),
    deploymentOf(database, 'writer', setting),
    serviceOf(database, 'writer'),
    ...(spec.readers === 0 ? [] : readerObjects(database, setting)),
    ...(spec.route === undefined ? [] : [ingressOf(database)]),
  ];
}

/** Returns the objects that must not exist for a database without readers or a route. The objects have no contents. */
export function absentObjects(database: DatabaseResource): readonly ClusterObject[] {
  const { spec } = database;
  const { reader, plain } = namesOf(database);
  return [
    ...(spec.readers > 0
      ? []
      : [
          named(database, 'apps/v1', 'Deployment', reader),
          named(database, 'v1', 'Service', reader),
          named(database, 'policy/v1', 'PodDisruptionBudget', reader),
        ]),
    ...(spec.route === undefined
      ? [named(database, 'networking.k8s.io/v1', 'Ingress', plain)]
      : []),
  ];
}

export function namesOf({ metadata: { name } }: DatabaseResource) {
  return { plain: name, writer: `${name}-writer`, reader: `${name}-reader` };
}

function readerObjects(database: DatabaseResource, setting: Setting): readonly ClusterObject[] {
  const { reader } = namesOf(database);
  const budget = named(database, 'policy/v1', 'PodDisruptionBudget', reader, 'reader');
  const selector = { matchLabels: selectorOf(database, 'reader') };
  return [
    deploymentOf(database, 'reader', setting),
    serviceOf(database, 'reader'),
    // Only readers have a budget. A budget for the single writer would block each drain of its node.
    { ...budget, spec: { maxUnavailable: 1, selector } },
  ];
}

/** The old pod ends before the new one starts, because a second writer would fence the first. */
const replaceWriter = { type: 'Recreate' };
const replaceReaders = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } };

function deploymentOf(
  database: DatabaseResource,
  component: Component,
  setting: Setting,
): ClusterObject {
  const { spec } = database;
  const isWriter = component === 'writer';
  return {
    ...named(database, 'apps/v1', 'Deployment', namesOf(database)[component], component),
    spec: {
      replicas: isWriter ? 1 : spec.readers,
      strategy: isWriter ? replaceWriter : replaceReaders,
      selector: { matchLabels: selectorOf(database, component) },
      template: {
        metadata: {
          labels: labelsOf(database, component),
          annotations: {
            ...(spec.telemetry.metrics ? scrapedBy(spec) : {}),
            ...(setting.credentialsDigest === undefined
              ? {}
              : { [`${group}/credentials`]: setting.credentialsDigest }),
          },
        },
        spec: podOf(database, component, setting),
      },
    },
  };
}

function scrapedBy(spec: DatabaseSpec) {
  return {
    'prometheus.io/scrape': 'true',
    'prometheus.io/path': '/metrics',
    'prometheus.io/port': String(httpPort),
    ...(hasCertificate(spec) ? { 'prometheus.io/scheme': 'https' } : {}),
  };
}

function podOf(database: DatabaseResource, component: Component, { image }: Setting): object {
  const { spec } = database;
  const { credentialsSecretRef: secret, serviceAccountName = namesOf(database).plain } =
    spec.storage.authentication;
  const volumes = volumesOf(database);
  const secrets = secretVolumesOf(database.metadata.name, spec, roles[component]);
  const environment = environmentOf(spec, roles[component]);
  return {
    serviceAccountName,
    // A secret is sufficient for access. The token of a service account is mounted only if it provides the access.
    automountServiceAccountToken: secret === undefined,
    // Variables of services named svc would look like settings.
    enableServiceLinks: false,
    terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: nobody,
      runAsGroup: nobody,
      fsGroup: nobody,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...(component === 'reader' ? { topologySpreadConstraints: [spreadOf(database)] } : {}),
    containers: [
      {
        name: 'svc',
        image: spec.image ?? image,
        args: ['serve'],
        env: [
          ...identityOf(database),
          ...Object.entries(environment).map(([name, value]) => ({ name, value })),
        ],
        ...(secret === undefined ? {} : { envFrom: [{ secretRef: { name: secret.name } }] }),
        ports: [{ name: 'http', containerPort: httpPort }],
        ...probesOf(spec),
        ...(spec.resources === undefined ? {} : { resources: spec.resources }),
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        volumeMounts: [
          ...volumes.map(({ name, path }) => ({ name, mountPath: path })),
          ...secrets.map(({ name, path }) => ({ name, mountPath: path, readOnly: true })),
        ],
      },
    ],
    volumes: [
      ...volumes.map(({ name, mib }) => ({ name, emptyDir: { sizeLimit: `${mib}Mi` } })),
      ...secrets.map(secretVolume),
    ],
  };
}

function volumesOf({ spec }: DatabaseResource) {
  const cacheMib = Number(spec.store?.['objectCacheSizeMib'] ?? 0) + cacheSlackMib;
  return [
    { name: 'spill', path: spillDirectory, mib: spillMib + cacheSlackMib },
    { name: 'tmp', path: '/tmp', mib: 64 },
    ...(keepsParts(spec) ? [{ name: 'cache', path: cacheDirectory, mib: cacheMib }] : []),
  ];
}

/** The server refuses secrets that users other than the owner and the group can read. The group is that of the pod. */
const secretMode = 0o440;

function secretVolume({ name, secretName, keys }: SecretVolume): object {
  const items = keys.map((key) => ({ key, path: key }));
  return { name, secret: { secretName, defaultMode: secretMode, items } };
}

/**
 * The probes allow long startups. A startup replays the log and waits for an unavailable bucket. Both can take long, and
 * a restart would not help.
 */
function probesOf(spec: DatabaseSpec) {
  const scheme = hasCertificate(spec) ? { scheme: 'HTTPS' } : {};
  const probe = (path: string, periodSeconds: number, failureThreshold: number) => ({
    httpGet: { path, port: 'http', ...scheme },
    periodSeconds,
    timeoutSeconds: path === '/livez' ? 5 : 2,
    failureThreshold,
  });
  return {
    startupProbe: probe('/startupz', 2, 900),
    readinessProbe: probe('/readyz', 2, 2),
    livenessProbe: probe('/livez', 10, 6),
  };
}

function spreadOf(database: DatabaseResource) {
  return {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: selectorOf(database, 'reader') },
  };
}

function serviceOf(database: DatabaseResource, component: Component): ClusterObject {
  return {
    ...named(database, 'v1', 'Service', namesOf(database)[component], component),
    spec: {
      selector: selectorOf(database, component),
      ports: [
        {
          name: 'http',
          port: httpPort,
          targetPort: 'http',
          ...(hasCertificate(database.spec) ? { appProtocol: 'https' } : {}),
        },
      ],
    },
  };
}

function accountOf(database: DatabaseResource): ClusterObject {
  const account = named(database, 'v1', 'ServiceAccount', namesOf(database).plain);
  return { ...account, automountServiceAccountToken: false };
}

function ingressOf(database: DatabaseResource): ClusterObject {
  const { plain, writer } = namesOf(database);
  const { hostname = '', scheme, tlsSecretName } = database.spec.route ?? {};
  const backend = { service: { name: writer, port: { name: 'http' } } };
  const tls = { hosts: [hostname], ...(tlsSecretName && { secretName: tlsSecretName }) };
  return {
    ...named(database, 'networking.k8s.io/v1', 'Ingress', plain),
    spec: {
      ...(scheme === 'https' ? { tls: [tls] } : {}),
      rules: [{ host: hostname, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
    },
  };
}

/** Builds the metadata of an object that Kubernetes deletes with the resource. The data in the bucket stay. */
function named(
  database: DatabaseResource,
  apiVersion: string,
  objectKind: string,
  name: string,
  component?: Component,
): ClusterObject {
  const { name: owner, namespace, uid } = database.metadata;
  return {
    apiVersion,
    kind: objectKind,
    metadata: {
      name,
      namespace,
      labels: labelsOf(database, component),
      ownerReferences: [
        {
          apiVersion: `${group}/${version}`,
          kind,
          name: owner,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
  };
}

function labelsOf(
  database: DatabaseResource,
  component?: Component,
): Readonly<Record<string, string>> {
  const common = {
    'app.kubernetes.io/name': 'svc',
    'app.kubernetes.io/instance': database.metadata.name,
    'app.kubernetes.io/managed-by': 'svc-operator',
  };
  return component === undefined ? common : { ...common, 'app.kubernetes.io/component': component };
}

/**
 * Returns the labels of the pod selector. The selector of a deployment cannot change, so it contains only the labels
 * that distinguish the pods.
 */
function selectorOf(
  database: DatabaseResource,
  component: Component,
): Readonly<Record<string, string>> {
  return {
    'app.kubernetes.io/name': 'svc',
    'app.kubernetes.io/instance': database.metadata.name,
    'app.kubernetes.io/component': component,
  };
}
