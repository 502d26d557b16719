/** The bill of materials of a release: CycloneDX by `npm sbom`, of the bundled packages and the runtime, with equal bytes for equal input. */

import { join } from 'node:path';
import { runTool } from './run-tool.ts';

const root = join(import.meta.dir, '../..');

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly [member: string]: unknown;
}

interface Bill {
  readonly metadata: { readonly component: Component; readonly [member: string]: unknown };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  readonly [member: string]: unknown;
}

/** Returns the document for the bundled packages. `date` (ISO 8601) takes the place of the time at which it was made. */
export function billOfMaterials(packages: readonly string[], date: string): string {
  const argv = ['npm', 'sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const all = JSON.parse(runTool([...argv, '--package-lock-only'], { cwd: root })) as Bill;
  return reducedBill(all, new Set([...packages, 'bun']), date);
}

/** Keeps the named packages. npm lists all that are installed, and leaves out some that are bundled if it omits those for development. */
export function reducedBill(all: Bill, names: ReadonlySet<string>, date: string): string {
  const components = all.components.filter(({ name }) => names.has(name)).map(withoutProperties);
  const missing = [...names].filter((name) => !components.some((it) => it.name === name));
  if (missing.length > 0) throw new Error(`npm sbom: no component ${missing.join(', ')}`);
  // npm takes the name of the folder.
  const component = { ...all.metadata.component, name: 'svc' };
  const refs = new Set([component, ...components].map((it) => it['bom-ref']));
  const content = {
    ...all,
    metadata: { ...all.metadata, component, timestamp: date },
    components,
    dependencies: all.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map((it) => ({ ...it, dependsOn: it.dependsOn.filter((ref) => refs.has(ref)) })),
  };
  const unnumbered = JSON.stringify({ ...content, serialNumber: undefined });
  const serialNumber = `urn:uuid:${uuidOf(unnumbered)}`;
  return `${JSON.stringify({ ...content, serialNumber }, undefined, 2)}\n`;
}

/** Properties of npm: where a package is installed, and whether it is for development. */
function withoutProperties({ properties: _, ...component }: Component): Component {
  return component as Component;
}

/** A UUID of version 8 (RFC 9562) from the hash of `text`. */
function uuidOf(text: string): string {
  const hex = new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 32);
  const fixed = `${hex.slice(0, 12)}8${hex.slice(13, 16)}a${hex.slice(17)}`;
  return fixed.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
