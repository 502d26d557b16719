/**
 * `npm run release`: builds `release/<version>/`.
 *
 *   npm run release [-- --target NAME]… [--level 1…19] [--out FOLDER] [--check]
 *
 * Equal commits give equal bytes: dates are the date of the commit (or `SOURCE_DATE_EPOCH`), and names and owners are fixed. `--check` proves it with a second build of
 * the same commit in another folder, and then starts the executable of this platform.
 */

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { version } from '#base';
import { writeArchives } from './archive.ts';
import { checkRelease } from './check.ts';
import { sumsOf } from './checksums.ts';
import { compileExecutable } from './compile.ts';
import { writePackage } from './debian.ts';
import { imageBuilder, writeImage } from './image.ts';
import { bundledPackages, noticesOf } from './notices.ts';
import { runTool } from './run-tool.ts';
import { billOfMaterials } from './sbom.ts';
import { type Documents, documentsOf, stage } from './stage.ts';
import { type Target, targets } from './targets.ts';

const root = join(import.meta.dir, '../..');

/** The file that marks a folder as that of a release. */
const sumsFile = 'SHA256SUMS';

interface ReleaseOptions {
  readonly chosen: readonly Target[];
  readonly out: string;
  readonly epoch: number;
  readonly level: number;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      target: { type: 'string', multiple: true, default: targets.map(({ name }) => name) },
      level: { type: 'string', default: '19' },
      out: { type: 'string', default: join('release', version) },
      check: { type: 'boolean', default: false },
    },
  });
  const chosen = values.target.map(targetNamed);
  const out = resolve(root, values.out);
  const options = { chosen, out, epoch: commitEpoch(), level: levelOf(values.level) };
  release(options);
  if (values.check && !(await checkRelease({ ...options, root }))) process.exitCode = 1;
}

function targetNamed(name: string): Target {
  const found = targets.find((target) => target.name === name);
  if (found !== undefined) return found;
  const names = targets.map((target) => target.name).join(', ');
  throw new Error(`--target: expected one of ${names}, got "${name}"`);
}

function levelOf(given: string): number {
  if (/^1?[1-9]$|^10$/.test(given)) return Number(given);
  throw new Error(`--level: expected 1 to 19, got "${given}"`);
}

/** Empties the folder of a release. Throws for any other folder that has files: they would be deleted. */
export function emptyFolder(out: string): void {
  if (existsSync(out) && readdirSync(out).length > 0 && !existsSync(join(out, sumsFile))) {
    throw new Error(
      `--out: expected a new, empty or release folder, got "${out}"; nothing was changed`,
    );
  }
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
}

/** Seconds since 1970: of the commit that is built. */
function commitEpoch(): number {
  const given = process.env['SOURCE_DATE_EPOCH'];
  if (given !== undefined) return Number(given);
  return Number(runTool(['git', 'log', '-1', '--format=%ct'], { cwd: root }));
}

function release({ chosen, out, epoch, level }: ReleaseOptions): void {
  emptyFolder(out);
  // A build that is interrupted leaves a folder that the next one may empty.
  writeFileSync(join(out, sumsFile), '');
  // Inside the repository: the context of a container image is the repository.
  const scratch = join(root, 'dist/release');
  rmSync(scratch, { recursive: true, force: true });
  const names: string[] = [];
  let shared: Shared | undefined;
  for (const target of chosen) {
    const executable = join(scratch, target.name, 'svc');
    const modules = join(scratch, target.name, 'modules.json');
    console.log(`== ${target.name}`);
    // A prefetched runtime of this platform is used as it is; it is the same as the one for its name.
    const compiled = compileExecutable({ executable, target: target.runtime, modules });
    if (!compiled) throw new Error(`${target.name}: the executable was not compiled`);
    shared ??= sharedBy(modules, epoch);
    const { documents } = shared;
    names.push(...assemble({ target, executable, documents, out, epoch, level }));
  }
  const bill = billOfMaterials(shared?.packages ?? [], isoDate(epoch));
  writeFileSync(join(out, `svc-${version}.cdx.json`), bill);
  copyFileSync(join(root, 'install.sh'), join(out, 'install.sh'));
  names.push(`svc-${version}.cdx.json`, 'install.sh');
  writeFileSync(join(out, sumsFile), sumsOf(out, names));
  if (imageBuilder() === undefined) console.log('no images: install buildah or podman');
  console.log(`${names.length + 1} files in ${out}`);
}

function isoDate(epoch: number): string {
  return new Date(epoch * 1000).toISOString();
}

/** Parts of a release that are the same for all targets. */
interface Shared {
  readonly packages: readonly string[];
  readonly documents: Documents;
}

function sharedBy(modules: string, epoch: number): Shared {
  const packages = bundledPackages(JSON.parse(readFileSync(modules, 'utf8')));
  const notices = noticesOf(packages);
  const date = isoDate(epoch).slice(0, 10);
  return { packages, documents: documentsOf({ version, date, notices }) };
}

interface AssembleOptions extends Omit<ReleaseOptions, 'chosen'> {
  readonly target: Target;
  readonly executable: string;
  readonly documents: Documents;
}

/** Writes everything that a release has for one target, and returns the names of the files. */
export function assemble(options: AssembleOptions): readonly string[] {
  const { target, executable, documents, out, epoch, level } = options;
  const parent = mkdtempSync(join(tmpdir(), 'svc-release-'));
  try {
    const name = `svc-${version}-${target.name}`;
    stage(join(parent, name), executable, documents);
    const names = [...writeArchives({ parent, name, out, epoch, level })];
    if (target.debian !== undefined) {
      const tree = join(parent, 'deb');
      const architecture = target.debian;
      names.push(
        writePackage({ version, architecture, executable, documents, tree, out, epoch, level }),
      );
    }
    const builder = imageBuilder();
    if (target.image !== undefined && builder !== undefined) {
      const platform = target.image;
      const image = { version, name: target.name, platform, executable, out, epoch };
      names.push(writeImage(builder, image));
    }
    return names;
  } finally {
    rmSync(parent, { recursive: true });
  }
}
