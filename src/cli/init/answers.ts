/** The properties of a new project, from flags or from questions at the terminal. */

import { isAbsolute, normalize } from 'node:path';
import { LineCounter, type Node, parseDocument } from 'yaml';
import { originOf } from '#client';
import { type Language, languages, readTargets, TargetError } from '#codegen';
import { yamlText } from '#schema';
import type { Environment } from '#server';
import { CommandFailure, usageFailure } from '../frame/command-failure.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import type { Shell } from '../frame/shell.ts';
import { defaultUrl } from '../project/config.ts';

export const defaultOutput = 'generated';

interface Flags {
  readonly databaseUrl?: string;
  readonly empty?: true;
  readonly template?: string;
  readonly lang?: Language;
  readonly out?: string;
  readonly pkg?: string;
  /** False for `--no-generate`. */
  readonly generate: boolean;
  readonly yes?: true;
}

export interface Answers {
  readonly databaseUrl: string;
  readonly isEmpty: boolean;
  /** Clients to list under `generate` in the configuration file. */
  readonly clients: readonly ClientAnswer[];
}

interface ClientAnswer {
  readonly language: Language;
  readonly output: string;
  readonly package?: string;
}

/** Throws a CommandFailure if flags contradict each other or have invalid values. */
export function requireSense({ template, empty, lang, out, pkg, generate }: Flags): void {
  const about = [lang && '--lang', out !== undefined && '--out', pkg !== undefined && '--pkg'];
  const [first] = about.filter((flag) => typeof flag === 'string');
  if (template !== undefined && empty) throw usageFailure('--template cannot be used with --empty');
  if (template !== undefined && first !== undefined) {
    throw usageFailure(`${first} cannot be used with --template, which has its own client`);
  }
  if (template !== undefined && !generate) {
    throw usageFailure(
      '--no-generate cannot be used with --template: the application of the template imports its client',
    );
  }
  if (first !== undefined && !generate)
    throw usageFailure(`${first} cannot be used with --no-generate`);
  if (first !== undefined && lang === undefined) {
    throw usageFailure(
      `${first} requires --lang, the language of the client (${languages.join(', ')})`,
    );
  }
  if (lang !== undefined) requireClient(clientOf(lang, out, pkg));
}

/** Asks for the answers that no flag gives. Throws a CommandFailure if no terminal is available for questions. */
export async function answersOf(shell: Shell, flags: Flags): Promise<Answers> {
  if (!flags.yes && !shell.isInteractive) {
    throw new CommandFailure({
      code: 'confirmation_required',
      message: 'cannot ask questions without a terminal or with --non-interactive',
      hint: '--yes uses all defaults; --database-url, --empty and --lang answer the questions',
      exitCode: exitCodes.consent,
    });
  }
  const { empty: isEmpty = false, lang, out, pkg } = flags;
  const databaseUrl = givenAddress(flags, shell.env);
  const given = lang === undefined ? [] : [clientOf(lang, out, pkg)];
  if (flags.yes) return { databaseUrl: databaseUrl ?? defaultUrl, isEmpty, clients: given };
  const url = databaseUrl ?? (await askAddress(shell));
  const isSaid = lang !== undefined || !flags.generate || flags.template !== undefined;
  const clients = isSaid ? given : await askClient(shell);
  const isChosen = isEmpty || flags.template !== undefined;
  return { databaseUrl: url, clients, isEmpty: isChosen ? isEmpty : !(await askStarter(shell)) };
}

function clientOf(language: Language, output = defaultOutput, name?: string): ClientAnswer {
  if (language === 'typescript') return { language, output, ...(name && { package: name }) };
  return { language, output, package: name ?? 'db' };
}

/** Repeats the question until the address is valid, so that a typing error does not restart the command. */
async function askAddress(shell: Shell): Promise<string> {
  for (;;) {
    const url = (await shell.ask(`Database URL [${defaultUrl}]: `)).trim() || defaultUrl;
    const trouble = troubleWith(url);
    if (trouble === undefined) return url;
    shell.say(trouble);
  }
}

/** Asks for the language of a client. The default is to generate none. */
async function askClient(shell: Shell): Promise<readonly ClientAnswer[]> {
  const names = languages.join(', ');
  for (;;) {
    const answer = (await shell.ask(`Generate a client? ${names} or none [none]: `)).trim();
    if (/^(?:no?|none)?$/i.test(answer)) return [];
    const language = languages.find((name) => name === answer.toLowerCase());
    if (language !== undefined) return [await askPlace(shell, language)];
    shell.say(`"${answer}" is invalid; expected one of ${names}, none`);
  }
}

async function askPlace(shell: Shell, language: Language): Promise<ClientAnswer> {
  for (;;) {
    const output =
      (await shell.ask(`Generated client directory [${defaultOutput}]: `)).trim() || undefined;
    const name =
      language === 'typescript'
        ? undefined
        : (await shell.ask('Package name [db]: ')).trim() || undefined;
    const client = clientOf(language, output, name);
    const trouble = troubleWithClient(client);
    if (trouble === undefined) return client;
    shell.say(trouble);
  }
}

async function askStarter(shell: Shell): Promise<boolean> {
  for (;;) {
    const answer = (await shell.ask('Include a starter users table? [Y/n] ')).trim();
    if (/^(?:y(?:es)?)?$/i.test(answer)) return true;
    if (/^no?$/i.test(answer)) return false;
    shell.say(`"${answer}" is neither y nor n`);
  }
}

/** Returns the address of the flag or of the variable; `undefined` if neither is given. Throws if the address is invalid. */
function givenAddress({ databaseUrl }: Flags, env: Environment): string | undefined {
  const variable = 'SVC_DATABASE_URL';
  const url = databaseUrl ?? (env[variable] || undefined);
  const trouble = url === undefined ? undefined : troubleWith(url);
  if (trouble === undefined) return url;
  throw usageFailure(`${databaseUrl === undefined ? variable : '--database-url'}: ${trouble}`);
}

function troubleWith(url: string): string | undefined {
  try {
    originOf(url);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function requireClient(client: ClientAnswer): void {
  const trouble = troubleWithClient(client);
  if (trouble !== undefined) throw usageFailure(trouble);
}

/** Checks a client with the reader of the configuration. Returns the message of the error, if there is one. */
function troubleWithClient(client: ClientAnswer): string | undefined {
  const way = normalize(client.output);
  if (isAbsolute(way) || way === '..' || way.startsWith('../')) {
    return `output ${JSON.stringify(client.output)} is not inside the project`;
  }
  const counter = new LineCounter();
  const text = yamlText({ generate: [client] });
  const node = parseDocument(text, { lineCounter: counter }).get('generate', true) as
    | Node
    | undefined;
  try {
    readTargets(node, counter);
    return undefined;
  } catch (error) {
    if (error instanceof TargetError) return error.message;
    throw error;
  }
}
