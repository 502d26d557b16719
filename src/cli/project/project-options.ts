/** Commands on a project and its database, with the flags that they share. */

import { Command, Option } from '@commander-js/extra-typings';
import { configFile } from './config.ts';
import { schemaFile } from './schema-file.ts';

export const configOption = () =>
  new Option('--config <file>', `configuration file of the project (default ${configFile})`);

export const fileOption = () =>
  new Option(
    '-f, --file <file>',
    `schema file (default ${schemaFile} in the directory of the configuration)`,
  );

export const databaseOption = () =>
  new Option(
    '--database-url <url>',
    'database to use instead of that of the project: svc://host[:port] (default SVC_DATABASE_URL)',
  );

/** The flag of commands that change the input of generated clients. */
export const generateOption = () => new Option('--no-generate', 'do not generate clients');

const environmentOption = () =>
  new Option('--env <name>', 'environment of the project, such as staging (default SVC_ENV)');

export const tokenOption = () =>
  new Option(
    '--access-token-file <file>',
    'file with an access token, read for each request (default SVC_ACCESS_TOKEN_FILE, or the token in SVC_ACCESS_TOKEN)',
  );

export const caOption = () =>
  new Option(
    '--ca-file <file>',
    'PEM file of certificate authorities to trust instead of those of the system (default SVC_CA_FILE)',
  );

/** Returns a command that addresses a database without reading the schema file of the project. */
export const databaseCommand = (name: string) =>
  new Command(name)
    .addOption(configOption())
    .addOption(environmentOption())
    .addOption(databaseOption())
    .addOption(tokenOption())
    .addOption(caOption());

/** Returns a command about the schema file of a project and its database. */
export const projectCommand = (name: string) =>
  new Command(name)
    .addOption(configOption())
    .addOption(fileOption())
    .addOption(environmentOption())
    .addOption(databaseOption())
    .addOption(tokenOption())
    .addOption(caOption());
