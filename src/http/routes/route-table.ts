/** The public routes and their methods, which distinguish 404 from 405. */

import { operations } from '#wire';

interface RouteRow {
  /** Path segments. A segment that starts with `:` matches any text. */
  readonly path: string;
  readonly methods: readonly string[];
}

/** A GET route also accepts HEAD. */
export const routeTable: readonly RouteRow[] = rowsOf(
  operations.flatMap(({ method, path }) => {
    const route = path.replaceAll(/\{(\w+)\}/g, ':$1');
    const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
    return methods.map((one) => [route, one] as const);
  }),
);

function rowsOf(routes: readonly (readonly [path: string, method: string])[]): RouteRow[] {
  const rows = new Map<string, string[]>();
  for (const [path, method] of routes) rows.set(path, [...(rows.get(path) ?? []), method]);
  return [...rows].map(([path, methods]) => ({ path, methods }));
}

/** Returns the methods of the route that matches `pathname`, or `undefined` if no route does. */
export function methodsOf(pathname: string): readonly string[] | undefined {
  const segments = pathname.split('/');
  return routeTable.find((row) => matches(row.path.split('/'), segments))?.methods;
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false;
  return pattern.every((part, i) =>
    part.startsWith(':') ? segments[i] !== '' : part === segments[i],
  );
}
