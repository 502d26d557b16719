/** The identity of a pod of the operator, as a collector gets it: from the manifest, through the variables of the container, to the resource of spans and metrics. */

import { afterAll, expect, test } from 'bun:test';
import { objectsOf } from '../../src/operator/objects.ts';
import { OtlpCollector } from '../support/otlp-collector.ts';
import { startServerProcess } from '../support/server-process.ts';
import { FakeCluster } from './fake-cluster.ts';

const collector = new OtlpCollector();
afterAll(() => collector.stop());

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
}

/** The variables of a container as the kubelet sets them: `$(NAME)` refers to an earlier variable, and stays as it is if there is none. */
function resolved(list: readonly Variable[], fields: Record<string, string>) {
  const set: Record<string, string> = {};
  for (const { name, value = '', valueFrom } of list) {
    const path = valueFrom?.fieldRef.fieldPath;
    set[name] =
      path === undefined
        ? value.replaceAll(/\$\(([A-Z_]+)\)/g, (text, other: string) => set[other] ?? text)
        : (fields[path] ?? 'no such field');
  }
  return set;
}

function variablesOf(component: 'writer' | 'reader'): readonly Variable[] {
  const database = new FakeCluster().create(
    'shop',
    {
      storage: {
        bucket: 'data',
        authentication: { credentialsSecretRef: { name: 'keys' } },
      },
      readers: 1,
      telemetry: { endpoint: collector.endpoint, traceSamplePercent: 100 },
    },
    'prod',
  );
  const objects = objectsOf(database, { image: 'svc:1', credentialsDigest: undefined });
  const deployment = objects.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === `shop-${component}`,
  ) as unknown as {
    spec: { template: { spec: { containers: [{ env: readonly Variable[] }] } } };
  };
  return deployment.spec.template.spec.containers[0].env;
}

/** What a server in memory can take over; the storage of the pod is a bucket. */
const told = /^(?:OTEL_|SVC_OTEL_|SVC_INSTANCE_ID$)/;

/** Longer than a host name may be: the kubelet cuts it off at 63 characters, in the variable HOSTNAME too. */
const podName = `shop-writer-${'x'.repeat(50)}-7d9f8c6b5-abcde`;

test('spans and metrics name the database, the namespace and the pod', async () => {
  const set = resolved(variablesOf('writer'), { 'metadata.name': podName });
  const env = Object.fromEntries(Object.entries(set).filter(([name]) => told.test(name)));
  const server = await startServerProcess(['--storage', 'memory'], {
    env: { ...env, HOSTNAME: podName.slice(0, 63) },
  });
  expect((await fetch(`${server.url}/info`)).status).toBe(200);
  server.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  const resource = {
    'service.name': 'svc',
    'service.instance.id': podName,
    'svc.role': 'write',
    'svc.database.name': 'shop',
    'k8s.namespace.name': 'prod',
    'k8s.pod.name': podName,
  };
  const [span] = collector.takeSpans();
  expect(span?.resource).toMatchObject(resource);
  expect(collector.metrics[0]?.resource).toMatchObject(resource);
  expect(collector.refused).toEqual([]);
});

test('readers have the same identity, of their own pods', () => {
  const set = resolved(variablesOf('reader'), { 'metadata.name': 'shop-reader-abc' });
  expect(set).toMatchObject({
    SVC_ROLE: 'read',
    SVC_INSTANCE_ID: 'shop-reader-abc',
    OTEL_RESOURCE_ATTRIBUTES:
      'svc.database.name=shop,k8s.namespace.name=prod,k8s.pod.name=shop-reader-abc',
  });
});

test('a name is set once', () => {
  const names = variablesOf('writer').map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
