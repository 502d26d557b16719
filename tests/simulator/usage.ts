/** The command line of the simulator. */

export const usage = `npm run simulate -- [--seeds N] [--from S] [--jobs N] [--plant NAME] [--list-plants] [--plants] [--crashes]

  --seeds N       how many seeds to run (default 1000)
  --from S        the first one (default 1)
  --jobs N        on so many processes (default: one for each processor; with --plant one)
  --plant NAME    with a known bug planted, which an oracle must find
  --list-plants   names of the known bugs
  --plants        every known bug in turn, each until it is found
  --crashes       every scenario, crashed at each effect and again at each effect of the opening
  --scenario NAME of --crashes only this one
  --trace         print the trace hash of every seed, as it is done
`;

export interface Arguments {
  readonly seeds: number;
  readonly from: number;
  readonly jobs: number | undefined;
  readonly plant: string | undefined;
  readonly scenario: string | undefined;
  readonly listsPlants: boolean;
  readonly runsPlants: boolean;
  readonly runsCrashes: boolean;
  readonly traces: boolean;
  /** A child that is given its tasks by its parent. */
  readonly isWorker: boolean;
}

/** Undefined when they make no sense. */
export function parseArguments(given: readonly string[]): Arguments | undefined {
  let parsed: Arguments = {
    seeds: 1000,
    from: 1,
    jobs: undefined,
    plant: undefined,
    scenario: undefined,
    listsPlants: false,
    runsPlants: false,
    runsCrashes: false,
    traces: false,
    isWorker: false,
  };
  const rest = [...given];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [name, inline] = word.split('=', 2) as [string, string?];
    if (name === '--list-plants') parsed = { ...parsed, listsPlants: true };
    else if (name === '--plants') parsed = { ...parsed, runsPlants: true };
    else if (name === '--crashes') parsed = { ...parsed, runsCrashes: true };
    else if (name === '--trace') parsed = { ...parsed, traces: true };
    else if (name === '--worker') parsed = { ...parsed, isWorker: true };
    else {
      const value = inline ?? rest.shift();
      if (value === undefined) return undefined;
      if (name === '--plant') parsed = { ...parsed, plant: value };
      else if (name === '--scenario') parsed = { ...parsed, scenario: value };
      else if (!/^\d{1,9}$/.test(value)) return undefined;
      else if (name === '--seeds') parsed = { ...parsed, seeds: Number(value) };
      else if (name === '--from') parsed = { ...parsed, from: Number(value) };
      else if (name === '--jobs' && Number(value) > 0) parsed = { ...parsed, jobs: Number(value) };
      else return undefined;
    }
  }
  return parsed;
}
