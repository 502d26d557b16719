/** Variables with the prefix of svc: a mistake is named, and the variables that a cluster sets for its services are not. */

import { expect, test } from 'bun:test';
import { unknownVariables } from '../../src/cli/serve/unknown-variables.ts';

/** The variables of a service with one named and one unnamed port, as a cluster sets them in each container. */
function serviceLinks(service: string): Record<string, string> {
  const prefix = service.toUpperCase().replaceAll('-', '_');
  const links = [7237, 5432].flatMap((port) =>
    Object.entries({
      '': `tcp://10.0.0.1:${port}`,
      PROTO: 'tcp',
      PORT: `${port}`,
      ADDR: '10.0.0.1',
    }).map(([part, value]) => [`${prefix}_PORT_${port}_TCP${part && `_${part}`}`, value]),
  );
  return {
    [`${prefix}_SERVICE_HOST`]: '10.0.0.1',
    [`${prefix}_SERVICE_PORT`]: '7237',
    [`${prefix}_SERVICE_PORT_HTTP`]: '7237',
    [`${prefix}_SERVICE_PORT_PG_WIRE`]: '5432',
    [`${prefix}_PORT`]: 'tcp://10.0.0.1:7237',
    [`${prefix}_PORT_53_UDP`]: 'udp://10.0.0.1:53',
    ...Object.fromEntries(links),
  };
}

test.each(['svc', 'svc-writer', 'svc-reader', 'svc-2-shop-writer', 'svc-port', 'svc-addr'])(
  'no variable of the service %s is a mistake',
  (service) => {
    const links = serviceLinks(service);
    expect(Object.keys(links)).toHaveLength(14);
    expect(unknownVariables(links)).toEqual([]);
  },
);

test.each([
  ['SVC_PORT', '7237'],
  ['SVC_WRITER_PORT', 'svc://10.0.0.1:7237'],
  ['SVC_WRITER_HOST', '10.0.0.1'],
  ['SVC_WRITER_PORT_TCP', 'tcp://10.0.0.1:7237'],
  ['SVC_SERVICE_NAME', 'svc'],
])('%s=%s is a mistake', (name, value) => {
  expect(unknownVariables({ [name]: value })).toEqual([
    expect.stringContaining(`there is no variable ${name}`),
  ]);
});

test('a known variable, an empty one and one of the tests are no mistake', () => {
  const env = { SVC_ADDR: ':1', SVC_ADRR: '', SVC_TEST_BINARY: 'x', PATH: '/bin', STORE_X: '1' };
  expect(unknownVariables(env)).toEqual([]);
});
