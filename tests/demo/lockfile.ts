/** The repository's own package-lock.json as rows: packages, and what each asks for. */

export interface PackageRow {
  readonly id: number;
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly license: string | null;
  readonly isOptional: boolean;
}

export interface DependencyRow {
  readonly packageId: number;
  readonly kind: string;
  readonly name: string;
  readonly range: string;
  /** The package that satisfies it; null when it is not installed. */
  readonly targetId: number | null;
}

interface LockEntry {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly optional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const kinds = {
  runtime: 'dependencies',
  development: 'devDependencies',
  optional: 'optionalDependencies',
  peer: 'peerDependencies',
} as const;

export async function readLockfile(path: string) {
  const lock = (await Bun.file(path).json()) as { packages: Record<string, LockEntry> };
  const entries = Object.entries(lock.packages);
  const ids = new Map(entries.map(([at], i) => [at, i + 1]));
  const packages = entries.map(
    ([at, entry], i): PackageRow => ({
      id: i + 1,
      path: at === '' ? '.' : at,
      name: entry.name ?? at.slice(at.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: entry.version ?? '0.0.0',
      license: entry.license ?? null,
      isOptional: entry.optional ?? false,
    }),
  );
  const dependencies = entries.flatMap(([at, entry], i) =>
    Object.entries(kinds).flatMap(([kind, member]) =>
      Object.entries(entry[member] ?? {}).map(
        ([name, range]): DependencyRow => ({
          packageId: i + 1,
          kind,
          name,
          range,
          targetId: resolve(ids, at, name),
        }),
      ),
    ),
  );
  return { packages, dependencies };
}

/** As Node resolves: the nearest node_modules upwards. */
function resolve(ids: ReadonlyMap<string, number>, from: string, name: string): number | null {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules')))) {
    const id = ids.get(`${at === '' ? '' : `${at}/`}node_modules/${name}`);
    if (id !== undefined) return id;
    if (at === '') return null;
    if (!at.includes('/node_modules')) {
      return ids.get(`node_modules/${name}`) ?? null;
    }
  }
}
