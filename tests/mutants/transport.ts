/** Wrong rules of listeners, certificates, proxies and permissions: each opens a server to others, or loses a request. */

import type { Mutant } from './mutants.ts';

const handshakes = ['tests/server/tls/handshakes.test.ts'];
const reload = ['tests/server/tls/reload.test.ts'];
const replaced = ['tests/server/replaced-listener.test.ts'];
const proxies = ['tests/server/trusted-proxies.test.ts'];
const exposure = ['tests/server/exposure.test.ts'];
const permissions = ['tests/server/permissions.test.ts'];
const routes = ['tests/http/edge/secure-transport.test.ts'];
const ready = ['tests/cli/doctor-ready.test.ts'];
const hosts = ['tests/http/edge/request-parts.test.ts'];
const protection = ['tests/server/authentication/watch-protection.test.ts'];
const operator = ['tests/operator/access.test.ts'];
const refresh = ['tests/s3/credentials-file.test.ts'];

export const transportMutants: readonly Mutant[] = [
  rule('a reload keeps the certificate', reload, 'server/tls/certificate-reload.ts', [
    'this.replace?.(entries);',
    '',
  ]),
  rule('a reload without Connection: close', replaced, 'server/listener.ts', [
    '    former.retire();\n',
    '',
  ]),
  rule(
    'both groups of sockets accept connections',
    replaced,
    'server/connections/opened-sockets.ts',
    ['if (isReplacement) table?.directToSecond(port);', ''],
  ),
  rule('a busy port is shared in silence', replaced, 'server/listener.ts', [
    'tls === undefined ? address : assertFree(options)',
    'address',
  ]),
  rule('the drain forgets the sockets that were replaced', replaced, 'server/listener.ts', [
    '[...this.open].map((group) =>',
    '[this.present].map((group) =>',
  ]),
  rule('client certificates for the default name only', handshakes, 'server/tls/read-entries.ts', [
    'byName.set(serverName, { ...entry, serverName })',
    'byName.set(serverName, { cert: entry.cert, key: entry.key, serverName })',
  ]),
  rule('client certificates for sent names only', handshakes, 'server/tls/read-entries.ts', [
    'return [first.entry, ...byName.values()]',
    'return [{ cert: first.entry.cert, key: first.entry.key }, ...byName.values()]',
  ]),
  rule('a file that is being written is read', reload, 'server/tls/pem.ts', [
    'blocks.every((block) => block.includes(end))',
    'blocks.some((block) => block.includes(end))',
  ]),
  rule('X-Forwarded-For is believed from anyone', proxies, 'http/edge/trusted-proxies.ts', [
    'forwarded === null || !this.includes(connection)',
    'forwarded === null',
  ]),
  rule('the first address of X-Forwarded-For counts', proxies, 'http/edge/trusted-proxies.ts', [
    ".split(',').reverse()",
    ".split(',')",
  ]),
  rule('requests bypass the proxy', proxies, 'http/edge/request-filter.ts', [
    'if (requiresProxy) checkProxy(context, request);',
    '',
  ]),
  rule('a name with one loopback address counts as loopback', exposure, 'server/address.ts', [
    'numeric.every(isLoopback)',
    'numeric.some(isLoopback)',
  ]),
  rule(
    'files have the permissions of the mask',
    permissions,
    'storage/object/system-directory.ts',
    ['flagsOf[mode], permissions.file)', 'flagsOf[mode], 0o666)'],
  ),
  rule('the path of a short host name over TLS is cut', routes, 'http/handler.ts', [
    'app.fetch(routable(request))',
    'app.fetch(request)',
  ]),
  rule(
    'one of several refused requests is sent again',
    refresh,
    'storage/object/s3/credentials-file.ts',
    [
      'read();\n      return credentials !== used;',
      'const former = credentials;\n      read();\n      return credentials !== former;',
    ],
  ),
  rule(
    'the health check expects the loopback address in certificates',
    ready,
    'server/own-listener.ts',
    ['serverName: first && nameIn(first.certPath)', 'serverName: undefined'],
  ),
  rule('hosts that are not allowed are served', hosts, 'http/edge/host.ts', [
    'if (isProbe(pathnameOf(url))) return;',
    'return;',
  ]),
  rule(
    'readers stay open after the first key',
    protection,
    'server/authentication/watch-protection.ts',
    ['lifecycle.requireAuthentication(refusalFor(what));', 'void refusalFor;'],
  ),
  rule('the operator lets keys travel without TLS', operator, 'operator/access-secrets.ts', [
    "if (mode !== 'none' && isPlain) return no('NoTls', noTls);",
    '',
  ]),
  rule('the operator changes open pods unasked', operator, 'operator/access-secrets.ts', [
    "if (spec.authentication === undefined && isOpen(writer)) return no('NotChosen', notChosen);",
    '',
  ]),
];

function rule(
  name: string,
  tests: readonly string[],
  file: string,
  [from, to]: readonly [from: string, to: string],
): Mutant {
  return { name, file: `src/${file}`, from, to, tests };
}
