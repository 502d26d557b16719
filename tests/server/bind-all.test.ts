/** One listener on all addresses of a name, and on all interfaces: the same port on each, all of them or none. */

import { describe, expect, test } from 'bun:test';
import { bindAll } from '../../src/server/bind-all.ts';

interface FakeSocket {
  readonly host: string;
  readonly port: number;
  stop(): void;
}

/** A machine on which `refuse` gives the code with which a bind fails; it chooses ports from 5000 on. */
function machine(refuse: (host: string, port: number) => string | undefined = () => undefined) {
  const open: FakeSocket[] = [];
  let chosen = 4999;
  const bind = (host: string, asked: number): FakeSocket => {
    const port = asked === 0 ? ++chosen : asked;
    const code = refuse(host, port);
    if (code !== undefined) throw Object.assign(new Error(`no ${host}`), { code });
    const socket = { host, port, stop: () => void open.splice(open.indexOf(socket), 1) };
    open.push(socket);
    return socket;
  };
  return { bind, held: () => open.map(({ host, port }) => `${host} ${port}`) };
}

const both = (port: number) => ({ host: 'localhost', port, numeric: ['::1', '127.0.0.1'] });
const every = (port: number) => ({ host: '::', port, isEveryInterface: true }) as const;

describe('a name with several addresses', () => {
  test('has a listener on each, with the port that the first one got', () => {
    const { bind, held } = machine();
    const { addresses } = bindAll(both(0), bind);
    expect(held()).toEqual(['::1 5000', '127.0.0.1 5000']);
    expect(addresses).toEqual([
      { host: '::1', port: 5000 },
      { host: '127.0.0.1', port: 5000 },
    ]);
  });

  test.each(['EADDRINUSE', 'EACCES'])('is refused as a whole by %s of one', (code) => {
    const { bind, held } = machine((host) => (host === '127.0.0.1' ? code : undefined));
    expect(() => bindAll(both(7237), bind)).toThrow('no 127.0.0.1');
    expect(held()).toEqual([]);
  });

  test('gets another port where the chosen one is taken on one of them', () => {
    const { bind, held } = machine((host, port) =>
      host === '127.0.0.1' && port < 5003 ? 'EADDRINUSE' : undefined,
    );
    bindAll(both(0), bind);
    expect(held()).toEqual(['::1 5003', '127.0.0.1 5003']);
  });

  test('gives up where every port is taken', () => {
    const { bind, held } = machine((host) => (host === '127.0.0.1' ? 'EADDRINUSE' : undefined));
    expect(() => bindAll(both(0), bind)).toThrow('no 127.0.0.1');
    expect(held()).toEqual([]);
  });

  test('leaves out those that the machine does not have, unless none is left', () => {
    const one = machine((host) => (host === '::1' ? 'EADDRNOTAVAIL' : undefined));
    bindAll(both(7237), one.bind);
    expect(one.held()).toEqual(['127.0.0.1 7237']);
    const none = machine(() => 'EADDRNOTAVAIL');
    expect(() => bindAll(both(7237), none.bind)).toThrow('no ::1');
  });
});

describe('all interfaces', () => {
  test('are those of IPv6, which take IPv4', () => {
    const { bind, held } = machine();
    bindAll(every(7237), bind);
    expect(held()).toEqual([':: 7237']);
  });

  test.each(['EAFNOSUPPORT', 'EADDRNOTAVAIL', undefined])(
    'are those of IPv4 on a machine without IPv6 (%s)',
    (code) => {
      const { bind, held } = machine((host) => (host === '::' ? (code ?? '') : undefined));
      const { addresses } = bindAll(every(7237), bind);
      expect(held()).toEqual(['0.0.0.0 7237']);
      expect(addresses).toEqual([{ host: '0.0.0.0', port: 7237 }]);
    },
  );

  test('are refused where the port is taken', () => {
    const { bind, held } = machine((host) => (host === '::' ? 'EADDRINUSE' : undefined));
    expect(() => bindAll(every(7237), bind)).toThrow('no ::');
    expect(held()).toEqual([]);
  });
});
