/** Commands on a project and its database, with the flags that they share. */

import { Command, Option } from '@commander-js/extra-typings';
import { configFile } from './config.ts';
import { schemaFile } from './schema-file.ts';

export const configOption = () =>
  new Option('--config <file>', `the project (default ${configFile})`);

export const fileOption = () =>
  new Option('-f, --file <file>', `the schema file (default ${schemaFile} beside the project's)`);

export const databaseOption = () =>
  new Option(
    '--database-url <url>',
    'another database than the project names (SVC_DATABASE_URL): svc://host[:port]',
  );

/** Of commands that change what clients are made of. */
export const generateOption = () =>
  new Option('--no-generate', 'leave the generated clients as they are');

const environmentOption = () =>
  new Option('--env <name>', 'an environment of the project, such as staging (SVC_ENV)');

/** Hidden until servers ask for tokens. */
const tokenOption = () =>
  new Option(
    '--access-token-file <file>',
    'a file with a bearer token, read for each request (SVC_ACCESS_TOKEN_FILE)',
  ).hideHelp();

/** A command that talks to a database, whatever the schema file of the project says. */
export const databaseCommand = (name: string) =>
  new Command(name)
    .addOption(configOption())
    .addOption(environmentOption())
    .addOption(databaseOption())
    .addOption(tokenOption());

/** A command about the schema file of a project and its database. */
export const projectCommand = (name: string) =>
  new Command(name)
    .addOption(configOption())
    .addOption(fileOption())
    .addOption(environmentOption())
    .addOption(databaseOption())
    .addOption(tokenOption());
