/** `npm run fuzz-tokens -- COUNT [SEED]`: changes valid tokens at random. Exits with 1 if a changed token is accepted. */

import { verifierOf } from './issuer.ts';
import { mutations } from './mutations.ts';

const [count = 100_000, seed = 1] = process.argv.slice(2).map(Number);
const verifier = verifierOf();
const faults = new Map<string, number>();
let accepted = 0;
for (const { number, token } of mutations(seed, count)) {
  const result = await verifier.verify(token);
  const fault = typeof result === 'string' ? result : 'accepted';
  faults.set(fault, (faults.get(fault) ?? 0) + 1);
  if (fault !== 'accepted') continue;
  accepted++;
  console.log(`accepted: number ${number} of seed ${seed}: ${token}`);
}
const sorted = [...faults].sort(([, left], [, right]) => right - left);
for (const [fault, times] of sorted) console.log(`${String(times).padStart(8)}  ${fault}`);
console.log(`${count - accepted} refused, ${accepted} accepted`);
process.exit(accepted === 0 ? 0 : 1);
