/** The flags that commands on a project share. */

import { Option } from '@commander-js/extra-typings';
import { configFile } from './config.ts';
import { schemaFile } from './schema-file.ts';

export const configOption = () =>
  new Option('--config <file>', `the project (default ${configFile})`);

export const fileOption = () =>
  new Option('-f, --file <file>', `the schema file (default ${schemaFile} beside the project's)`);

export const environmentOption = () =>
  new Option('--env <name>', 'an environment of the project, such as staging (SVC_ENV)');

export const databaseOption = () =>
  new Option(
    '--database-url <url>',
    'another database than the project names (SVC_DATABASE_URL): svc://host[:port]',
  );

/** Hidden until servers ask for tokens. */
export const tokenOption = () =>
  new Option(
    '--access-token-file <file>',
    'a file with a bearer token, read for each request (SVC_ACCESS_TOKEN_FILE)',
  ).hideHelp();
