/** What the exit code of a command says (docs/cli.md): in general, and of each command. */

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
  [2, 'wrong usage'],
  [3, 'the two sides differ'],
  [4, 'the migration cannot be applied to the data as it is'],
  [5, 'consent is needed, or was refused'],
  [6, 'the database is not as this project knows it, or somebody else was faster'],
  [7, 'no answer from the server'],
  [8, 'denied'],
  [130, 'interrupted (Ctrl-C)'],
];

/** By the command's path. 1 (a file of the project cannot be read) and 2 are everybody's. */
export const commandExits: Readonly<Record<string, string>> = {
  'svc init': '0 created · 1 a file is there already · 5 nobody is there to answer',
  'svc dev':
    '0 stopped in order · 1 the server cannot start, or has failed · 6 another writer has taken over',
  'svc serve':
    '0 stopped in order · 1 failed · 6 another writer has taken over: do not start this one again',
  'svc operator':
    '0 stopped in order, or printed · with --once 0 all databases are ready, 1 not all, or the API server refused',
  'svc validate': '0 valid · 1 not valid',
  'svc schema status': '0 synchronized · 3 anything else · 7 no answer',
  'svc schema diff':
    '0 whatever it finds; with --exit-code 3 changes, 4 changes that cannot be applied · 1 no migration leads there · 6 unknown schema · 7 no answer',
  'svc schema check':
    '0 clear · 1 no migration leads there · 4 cannot be applied · 5 would ask · 6 unknown schema · 7 no answer',
  'svc schema migrate':
    '0 ready · 1 online work failed, or no migration leads there · 4 cannot be applied · 5 consent needed or refused · 6 unknown schema, or somebody else was faster · 7 no answer, for 30 s once it was sent · 130 interrupted',
  'svc schema pull': '0 taken in · 6 the file changed the same things · 7 no answer',
  'svc schema json-schema': '0',
  'svc schema transitions list': '0 · 7 no answer',
  'svc schema transitions get': '0 · 1 there is no such transition · 7 no answer',
  'svc schema transitions wait': '0 ready · 1 failed, cancelled, or the time is over · 7 no answer',
  'svc schema transitions cancel':
    '0 cancelled · 1 there is no such transition, or it has ended already · 5 consent needed or refused · 7 no answer',
  'svc generate':
    '0 generated, or up to date · 1 no accepted schema, or the configuration does not fit it · 3 with --check the files differ',
  'svc seed':
    '0 written · 1 the rows do not fit the tables, or a table has rows already · 5 consent needed or refused · 7 no answer',
  'svc doctor project':
    '0 healthy, warnings or not · 1 a check failed, that of the server included',
  'svc doctor store':
    '0 fit, warnings or not · 1 a check failed · 5 --restore-claims needs consent, or it was refused',
  'svc explain':
    '0 shown · 1 the server refuses the program, it failed, or --analyze would write · 7 no answer',
  'svc top': '0 looked, or ended by Ctrl-C · 1 the server measures nothing · 7 no answer',
  'svc statistics erase':
    '0 erased, or nothing was there · 1 there is no such program · 5 consent needed or refused · 6 the server is no writer · 7 no answer',
  'svc docs': '0 · 2 there is no such page',
  'svc completions': '0',
  'svc version': '0',
};
