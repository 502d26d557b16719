/** Server addresses in the form that users write (docs/cli.md). */

const defaultPort = 7237;

const schemes: Readonly<Record<string, string>> = {
  'svc:': 'http:',
  'svcs:': 'https:',
  'http:': 'http:',
  'https:': 'https:',
};

/**
 * Converts `svc://host[:port]`, `svcs://…`, `http://…` or `https://…` to an HTTP origin. The default port is 7237. Throws an Error that describes the problem.
 */
export function originOf(address: string): string {
  const parts = /^([a-z]+:)\/\/(\[[0-9a-f:.]+\]|[^/?#@:[\]]+)(?::(\d{1,5}))?\/?$/i.exec(address);
  const scheme = schemes[parts?.[1]?.toLowerCase() ?? ''];
  const port = Number(parts?.[3] ?? defaultPort);
  const host = parts?.[2] ?? '';
  const isAddress = URL.canParse(`http://${host}/`) && !/\s/.test(host);
  if (parts === null || scheme === undefined || !isAddress || port < 1 || port > 65_535) {
    throw new Error(
      `"${address}" is not a server address: expected svc://host[:port], without user, path or query`,
    );
  }
  return `${scheme}//${host}:${port}`;
}
