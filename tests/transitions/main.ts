/** `npm run crash-transitions`: every kind of transition, the power going at each of its effects. */

import { cases, crashes } from './crashes.ts';

for (const one of cases) {
  const effects = await crashes(one, 1, 1);
  console.log(`${one[0]}: ${effects} effects, the same end after a power loss at each`);
}
