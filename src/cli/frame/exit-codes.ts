/** What the exit code of a command says (docs/cli.md). */

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
