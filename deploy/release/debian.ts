/** The package for Debian and its relatives: executable, unit, user and data directory. */

import { chmodSync, copyFileSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runTool } from './run-tool.ts';
import { type Documents, writeText } from './stage.ts';

interface PackageOptions {
  readonly version: string;
  readonly architecture: 'amd64' | 'arm64';
  readonly executable: string;
  readonly documents: Documents;
  /** An empty folder for the tree of the package. */
  readonly tree: string;
  readonly out: string;
  /** Modification time of all files, in seconds since 1970. */
  readonly epoch: number;
  /** Compression level of zstd, 1 to 19. */
  readonly level: number;
}

/** Writes `svc_<version>_<architecture>.deb` and returns its name. */
export function writePackage(options: PackageOptions): string {
  const { version, architecture, tree, out, epoch, level } = options;
  fillTree(options);
  const name = `svc_${version}_${architecture}.deb`;
  const compression = ['-Zzstd', `-z${level}`];
  runTool(['dpkg-deb', '--build', '--root-owner-group', ...compression, tree, join(out, name)], {
    env: { SOURCE_DATE_EPOCH: String(epoch) },
  });
  return name;
}

function fillTree({ tree, executable, documents, version, architecture }: PackageOptions): void {
  const at = (path: string): string => join(tree, path);
  mkdirSync(at('usr/bin'), { recursive: true });
  copyFileSync(executable, at('usr/bin/svc'));
  chmodSync(at('usr/bin/svc'), 0o755);
  for (const [path, text] of documents) {
    if (path.startsWith('share/')) writeText(at(`usr/${path}`), text);
  }
  // Debian keeps completions of zsh where its zsh looks for them.
  const zsh = documents.get('share/zsh/site-functions/_svc');
  if (zsh !== undefined) writeText(at('usr/share/zsh/vendor-completions/_svc'), zsh);
  writeText(at('usr/share/doc/svc/copyright'), documents.get('NOTICES') ?? '');
  writeText(at('lib/systemd/system/svc.service'), packagedUnit(documents.get('svc.service') ?? ''));
  writeText(at('DEBIAN/control'), control(version, architecture, sizeKiB(tree)));
  writeText(at('DEBIAN/postinst'), postinst, 0o755);
  writeText(at('DEBIAN/prerm'), prerm, 0o755);
  writeText(at('DEBIAN/postrm'), postrm, 0o755);
  setFolderModes(tree);
}

/** The unit for the user that the package creates, and for its path of the executable. */
export function packagedUnit(unit: string): string {
  return unit
    .replace(
      /^# A writer on a local disk\. Copy to [^,]*, settings/,
      '# A writer on a local disk. Settings go',
    )
    .replace('/usr/local/bin/svc', '/usr/bin/svc')
    .replace('DynamicUser=yes\nUser=svc\n', 'User=svc\nGroup=svc\n');
}

/** What the kernel would subtract from permissions must not change the package. */
function setFolderModes(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) setFolderModes(join(folder, entry.name));
  }
}

function sizeKiB(folder: string): number {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sizes = paths.map((path) => statSync(join(folder, path))).filter((it) => it.isFile());
  return sizes.reduce((sum, { size }) => sum + Math.ceil(size / 1024), 0);
}

const control = (
  version: string,
  architecture: string,
  installedKiB: number,
): string => `Package: svc
Version: ${version}
Architecture: ${architecture}
Maintainer: The svc project <svc@localhost>
Installed-Size: ${installedKiB}
Depends: libc6 (>= 2.17), adduser, init-system-helpers
Section: database
Priority: optional
Description: relational database service that speaks JSON over HTTP
 svc is one executable: a server that keeps relational data in a directory or
 in a bucket, and the commands for schemas, migrations and generated clients.
`;

/** The server is not started: its first start fixes settings such as the catalog mode. */
const postinst = `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  if ! getent passwd svc >/dev/null; then
    adduser --system --group --quiet --home /var/lib/svc --no-create-home svc
  fi
  install -d -o svc -g svc -m 0700 /var/lib/svc
  install -d -m 0755 /etc/svc
  if [ -d /run/systemd/system ]; then
    systemctl --system daemon-reload >/dev/null || true
    if [ -n "$2" ]; then
      deb-systemd-invoke try-restart svc.service >/dev/null || true
    fi
  fi
  if [ -z "$2" ]; then
    echo 'svc: settings go to /etc/svc/svc.env; then run: systemctl enable --now svc'
  fi
fi
`;

const prerm = `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop svc.service >/dev/null || true
fi
`;

const postrm = `#!/bin/sh
set -e
if [ "$1" = remove ] || [ "$1" = purge ]; then
  if [ -d /run/systemd/system ]; then
    systemctl --system daemon-reload >/dev/null || true
  fi
fi
if [ "$1" = purge ]; then
  deb-systemd-helper purge svc.service >/dev/null || true
  if [ -d /var/lib/svc ]; then
    echo 'svc: /var/lib/svc contains the data and was not deleted'
  fi
fi
`;
