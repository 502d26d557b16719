/** The public routes and their methods: what decides between 404 and 405. */

import { operations } from '#wire';

interface RouteRow {
  /** Segments; one that starts with `:` takes any text. */
  readonly path: string;
  readonly methods: readonly string[];
}

/** HEAD follows from GET. */
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

/** The methods of the route that `pathname` belongs to, undefined when there is none. */
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
