/** Meanings of exit codes (docs/cli.md), in general and for each command. */

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  differs: 3,
  blocked: 4,
  consent: 5,
  conflict: 6,
  unreachable: 7,
  denied: 8,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitMeanings: readonly (readonly [ExitCode, string])[] = [
  [0, 'done'],
  [1, 'failed'],
  [2, 'usage error'],
  [3, 'the compared states differ'],
  [4, 'the migration cannot be applied to the current data'],
  [5, 'confirmation is required, or was refused'],
  [
    6,
    'conflict: the database has a schema unknown to this project, or another change was committed first',
  ],
  [7, 'no response from the server'],
  [8, 'access denied'],
  [130, 'interrupted (Ctrl-C)'],
];

/** Meanings of exit codes, keyed by the path of the command. All commands can also exit with 1 (a file of the project cannot be read) and 2. */
export const commandExits: Readonly<Record<string, string>> = {
  'svc init':
    '0 created · 1 a file already exists · 5 answers are required and no terminal is available',
  'svc dev':
    '0 stopped cleanly · 1 the server cannot start, or has failed · 6 another writer has taken over',
  'svc serve':
    '0 stopped cleanly · 1 failed · 6 another writer has taken over: do not restart this one',
  'svc operator':
    '0 stopped cleanly, or printed · with --once: 0 all databases are ready, 1 a database is not ready, or the API server refused a request',
  'svc validate': '0 valid · 1 not valid',
  'svc schema status': '0 synchronized · 3 any other state · 7 no response',
  'svc schema diff':
    '0 compared; with --exit-code: 3 changes, 4 changes that cannot be applied · 1 no migration to this schema is possible · 6 unknown schema · 7 no response',
  'svc schema check':
    '0 no confirmation required · 1 no migration to this schema is possible · 4 cannot be applied · 5 confirmation required · 6 unknown schema · 7 no response',
  'svc schema migrate':
    '0 ready · 1 an online transition failed, or no migration to this schema is possible · 4 cannot be applied · 5 confirmation required or refused · 6 unknown schema, or another change was committed first · 7 no response, after repeating the request for 30 s if the migration was sent · 130 interrupted',
  'svc schema pull':
    '0 imported · 6 the file and the database changed the same objects · 7 no response',
  'svc schema json-schema': '0 done',
  'svc schema transitions list': '0 done · 7 no response',
  'svc schema transitions get': '0 done · 1 unknown transition · 7 no response',
  'svc schema transitions wait': '0 ready · 1 failed, cancelled, or timed out · 7 no response',
  'svc schema transitions cancel':
    '0 cancelled · 1 unknown transition, or already ended · 5 confirmation required or refused · 7 no response',
  'svc generate':
    '0 generated, or up to date · 1 no accepted schema, or the configuration does not match it · 3 with --check: the files differ',
  'svc seed':
    '0 written · 1 the rows do not match the tables, or a table already has rows · 5 confirmation required or refused · 7 no response',
  'svc doctor project':
    '0 healthy, possibly with warnings · 1 a check failed, including the check of the server',
  'svc doctor security': '0 healthy, possibly with warnings · 1 a check failed',
  'svc doctor ready': '0 ready · 1 not ready, or no response',
  'svc doctor store':
    '0 suitable, possibly with warnings · 1 a check failed · 5 --restore-claims requires confirmation, or it was refused',
  'svc key create':
    '0 created · 1 the request is not valid, or a process has the store open · 7 no response · 8 access denied',
  'svc key list': '0 done · 7 no response · 8 access denied',
  'svc key revoke':
    '0 revoked · 1 unknown key, or the last one of an administrator · 7 no response · 8 access denied',
  'svc key rotate':
    '0 created · 1 unknown, revoked or expired key · 7 no response · 8 access denied',
  'svc key generate': '0 done',
  'svc explain':
    '0 shown · 1 the server refused the program, the program failed, or --analyze would write · 7 no response',
  'svc top': '0 printed, or ended by Ctrl-C · 1 the server provides no metrics · 7 no response',
  'svc statistics erase':
    '0 erased, or nothing to erase · 1 unknown program · 5 confirmation required or refused · 6 the server is not a writer · 7 no response',
  'svc docs': '0 done · 2 unknown page',
  'svc completions': '0 done',
  'svc version': '0 done',
};
