/** The public routes and their methods: what decides between 404 and 405. */

interface RouteRow {
  /** Segments; one that starts with `:` takes any text. */
  readonly path: string;
  readonly methods: readonly string[];
}

export const routeTable: readonly RouteRow[] = [
  { path: '/', methods: ['GET', 'HEAD'] },
  { path: '/healthz', methods: ['GET', 'HEAD'] },
  { path: '/livez', methods: ['GET', 'HEAD'] },
  { path: '/readyz', methods: ['GET', 'HEAD'] },
  { path: '/startupz', methods: ['GET', 'HEAD'] },
  { path: '/info', methods: ['GET', 'HEAD'] },
  { path: '/tables', methods: ['GET', 'HEAD', 'POST'] },
  { path: '/tables/:table', methods: ['PATCH', 'DELETE'] },
  { path: '/tables/:table/columns', methods: ['POST'] },
  { path: '/tables/:table/columns/:column', methods: ['PATCH', 'DELETE'] },
  { path: '/tables/:table/indexes', methods: ['POST'] },
  { path: '/tables/:table/indexes/:index', methods: ['DELETE'] },
  { path: '/schema', methods: ['GET', 'HEAD'] },
  { path: '/schema/diff', methods: ['POST'] },
  { path: '/schema/migrate', methods: ['POST'] },
  { path: '/schema/compatibility', methods: ['POST'] },
  { path: '/schema/transitions', methods: ['GET', 'HEAD'] },
  { path: '/schema/transitions/:transition', methods: ['GET', 'HEAD'] },
  { path: '/schema/transitions/:transition/cancel', methods: ['POST'] },
  { path: '/execute', methods: ['OPTIONS', 'POST', 'QUERY'] },
];

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
