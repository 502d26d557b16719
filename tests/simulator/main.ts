import { Simulation } from './simulation.ts';

const from = Number(process.argv[2] ?? 1),
  n = Number(process.argv[3] ?? 10);
const t0 = performance.now();
let bad = 0,
  ev = 0,
  c = 0,
  o = 0;
for (let seed = from; seed < from + n; seed++) {
  if (process.env.V) console.error(seed);
  const s = new Simulation(seed);
  try {
    s.run();
  } catch (e) {
    bad++;
    console.log(
      'seed',
      seed,
      (e as Error).message,
      (e as Error).cause ?? '',
      process.argv[4] ? (e as Error).stack : '',
    );
  }
  ev += s.scheduler.events;
  c += s.history.commits;
  o += s.openings;
  await new Promise((r) => setImmediate(r));
}
console.log({ n, bad, ev, c, o, ms: (performance.now() - t0) / n });
