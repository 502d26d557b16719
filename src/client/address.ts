/** Addresses of servers as users write them (docs/cli.md). */

const defaultPort = 7237;

const schemes: Readonly<Record<string, string>> = {
  'svc:': 'http:',
  'svcs:': 'https:',
  'http:': 'http:',
  'https:': 'https:',
};

/** `svc://host[:port]` and `http://…` become an HTTP origin. Throws an Error that says what is wrong. */
export function originOf(address: string): string {
  const parts = /^([a-z]+:)\/\/(\[[0-9a-f:.]+\]|[^/?#@:[\]]+)(?::(\d{1,5}))?\/?$/i.exec(address);
  const scheme = schemes[parts?.[1]?.toLowerCase() ?? ''];
  const port = Number(parts?.[3] ?? defaultPort);
  const host = parts?.[2] ?? '';
  const isAddress = URL.canParse(`http://${host}/`) && !/\s/.test(host);
  if (parts === null || scheme === undefined || !isAddress || port < 1 || port > 65_535) {
    throw new Error(
      `"${address}" is no server address: expected svc://host[:port], without user, path or query`,
    );
  }
  return `${scheme}//${host}:${port}`;
}
