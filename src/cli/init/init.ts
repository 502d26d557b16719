/** `svc init`: creates a project without changing existing files. */

import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Command, Option } from '@commander-js/extra-typings';
import { originOf } from '#client';
import { languages } from '#codegen';
import { yamlText } from '#schema';
import { CommandFailure } from '../frame/command-failure.ts';
import { printResult } from '../frame/output.ts';
import type { Shell } from '../frame/shell.ts';
import { configFile, defaultUrl } from '../project/config.ts';
import { isLocal } from '../project/is-local.ts';
import { schemaFile } from '../project/schema-file.ts';
import { createWhole } from '../project/write-file.ts';
import { emptySchema, schemaText, starterSchema } from '../starter-schema.ts';
import { appFiles, appTargets } from '../templates/app-files.ts';
import { readmeText, templates } from '../templates/templates.ts';
import { type Answers, answersOf, defaultOutput, requireSense } from './answers.ts';

const seedFile = 'svc.seed.json';

/** The data of a local server, the backup of an edited schema file, and the packages of an application. */
const ignored = 'svc.data/\n*.key\nsvc.schema.yaml.bak\nnode_modules/\n';

const behindProxy =
  'svc serve does not accept TLS; a proxy in front of the server must accept it at this address';

export function initCommand(shell: Shell) {
  return new Command('init')
    .description('Create a project: its configuration and its schema file.')
    .argument('[directory]', 'directory of the project (default the current directory)', '.')
    .option(
      '--database-url <url>',
      `URL of the database (default SVC_DATABASE_URL, else ${defaultUrl})`,
    )
    .option('--empty', 'create no starter table')
    .addOption(templateOption())
    .addOption(
      new Option('--lang <language>', 'generate a client in this language').choices(languages),
    )
    .addOption(
      new Option(
        '-o, --out <dir>',
        `directory of the client in the project (default ${defaultOutput})`,
      ),
    )
    .addOption(
      new Option('--pkg <name>', 'package name of the client, in Go and Python (default db)'),
    )
    .option('--no-generate', 'generate no client and do not ask for one')
    .option('-y, --yes', 'use all defaults without asking')
    .action(async (directory, flags) => {
      requireSense(flags);
      const root = resolve(directory);
      const template = templates.find(({ name }) => name === flags.template);
      const files = {
        config: join(root, configFile),
        schema: join(root, schemaFile),
        ...(template && { seed: join(root, seedFile) }),
      };
      for (const path of Object.values(files)) {
        if (existsSync(path)) throw taken(path);
      }
      const answers = await answersOf(shell, flags);
      const url = answers.databaseUrl;
      const serve = `svc serve --catalog-mode schema${addressFlag(url)}`;
      if (originOf(url).startsWith('https:')) shell.note(`${url}: ${behindProxy}`);
      const texts: readonly (readonly [name: string, text: string])[] = [
        [configFile, configText(url, template ? appTargets : answers.clients)],
        [schemaFile, template ? schemaText(template.schema) : starter(answers)],
        ...(template ? [[seedFile, template.seed] as const] : []),
      ];
      for (const [name, text] of texts) {
        if (!createWhole(join(root, name), text)) throw taken(join(root, name));
      }
      // A file that a directory may already have for other reasons stays unchanged.
      const besides: readonly (readonly [name: string, text: string])[] = [
        ['.gitignore', ignored],
        ...(template
          ? [
              ['README.md', readmeText(template, basename(root), serve)] as const,
              ...appFiles(template, basename(root), url),
            ]
          : []),
      ];
      const added = besides.filter(([name, text]) => createWhole(join(root, name), text));
      printResult(
        shell,
        {
          root,
          config_file: files.config,
          schema_file: files.schema,
          ...(template && { template: template.name, seed_file: files.seed }),
        },
        [
          ...[...texts, ...added].map(([name]) => `created ${join(directory, name)}`),
          '',
          'Next:',
          ...(root === process.cwd() ? [] : [`  cd ${directory}`]),
          ...nextSteps({ isHere: isLocal(originOf(url)), hasApp: template !== undefined, serve }),
        ].join('\n'),
      );
    });
}

function configText(url: string, clients: readonly object[]): string {
  return yamlText({ database_url: url, ...(clients.length > 0 && { generate: clients }) });
}

interface Begun {
  /** Whether the database is on this machine. */
  readonly isHere: boolean;
  readonly hasApp: boolean;
  readonly serve: string;
}

function nextSteps({ isHere, hasApp, serve }: Begun): readonly string[] {
  const steps = [
    `  ${serve}    in a second terminal`,
    '  svc schema migrate',
    ...(hasApp ? ['  svc seed'] : []),
  ];
  if (!isHere) return steps;
  return [
    `  svc dev${hasApp ? '        ' : '    '}run a server that applies changes of these files`,
    ...(hasApp ? ['  npm run dev    run the application, in a second terminal'] : []),
    'The same steps without svc dev:',
    ...steps,
  ];
}

const templateOption = () =>
  new Option(
    '--template <name>',
    `create tables, seed data and a small application: ${templates.map(({ name, about }) => `${name}, ${about}`).join('; ')}`,
  ).choices(templates.map(({ name }) => name));

function starter({ isEmpty }: Answers): string {
  return isEmpty ? emptySchema : starterSchema;
}

/** Returns the flag that makes a local server listen at the project's address. A server on another machine is not started here. */
function addressFlag(databaseUrl: string): string {
  const origin = originOf(databaseUrl);
  const { port, host } = new URL(origin);
  return isLocal(origin) && port !== '7237' ? ` --addr ${host}` : '';
}

function taken(path: string): CommandFailure {
  return new CommandFailure({
    code: 'file_exists',
    message: `${path} already exists and was not changed`,
    hint: 'choose another directory, or remove the file',
  });
}
