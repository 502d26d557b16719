/** The public routes and their methods, which distinguish 404 from 405. */

import { type OperationNeeds, operations } from '#wire';

interface RouteRow {
  /** Path segments. A segment that starts with `:` matches any text. */
  readonly path: string;
  readonly methods: readonly string[];
  /** The needs of each method, in the order of `methods`. */
  readonly needs: readonly OperationNeeds[];
}

/** A GET route also accepts HEAD. */
export const routeTable: readonly RouteRow[] = rowsOf(
  operations.flatMap(({ method, path, needs }) => {
    const route = path.replaceAll(/\{(\w+)\}/g, ':$1');
    const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
    return methods.map((one) => ({ path: route, method: one, needs }));
  }),
);

interface Route {
  readonly path: string;
  readonly method: string;
  readonly needs: OperationNeeds;
}

function rowsOf(routes: readonly Route[]): RouteRow[] {
  return [...Map.groupBy(routes, ({ path }) => path)].map(([path, ofPath]) => ({
    path,
    methods: ofPath.map(({ method }) => method),
    needs: ofPath.map(({ needs }) => needs),
  }));
}

/** Returns the needs of a request, or `undefined` for an unknown route or method. */
export function needsAt(method: string, pathname: string): OperationNeeds | undefined {
  const row = rowAt(pathname);
  return row?.needs[row.methods.indexOf(method)];
}

/** Returns the path of the route, with its parameters, or `undefined` for an unknown route or method. */
export function routeAt(method: string, pathname: string): string | undefined {
  const row = rowAt(pathname);
  return row?.methods.includes(method) ? row.path : undefined;
}

/** Returns the methods of the route that matches `pathname`, or `undefined` if no route does. */
export function methodsOf(pathname: string): readonly string[] | undefined {
  return rowAt(pathname)?.methods;
}

/** The rows whose path has no parameter, by path. Most requests have such a path. */
const fixedRows: ReadonlyMap<string, RouteRow> = new Map(
  routeTable.filter(({ path }) => !path.includes(':')).map((row) => [row.path, row]),
);

/** The last fixed row that was found: clients repeat their paths. */
let last: RouteRow | undefined;

function rowAt(pathname: string): RouteRow | undefined {
  if (pathname === last?.path) return last;
  const fixed = fixedRows.get(pathname);
  if (fixed !== undefined) {
    last = fixed;
    return fixed;
  }
  const segments = pathname.split('/');
  return routeTable.find((row) => matches(row.path.split('/'), segments));
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false;
  return pattern.every((part, i) =>
    part.startsWith(':') ? segments[i] !== '' : part === segments[i],
  );
}
