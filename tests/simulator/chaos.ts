/** What befalls whole processes: they stall, their clocks jump, they are killed, the power goes, the disk fills up, a copy takes its place. */

import type { Life } from './life.ts';
import type { Simulation } from './simulation.ts';

const hourMs = 3_600_000;
/** Of one seed: each costs an opening. */
export const misfortunesMax = 15;

export async function chaos(simulation: Simulation): Promise<void> {
  const { scheduler, settings, dice, faults, medium } = simulation;
  while (simulation.hasWork) {
    await scheduler.wait(settings.chaosMs * dice.unit(), undefined, 'chaos');
    if (settings.roomBytes !== Number.POSITIVE_INFINITY) {
      medium.setRoom(dice.chance(0.5) ? settings.roomBytes : Number.POSITIVE_INFINITY);
    }
    const lives = [...simulation.lives];
    if (lives.length === 0 || simulation.misfortunes > misfortunesMax) continue;
    const life = dice.pick(lives);
    if (faults.strikes('pause')) {
      simulation.misfortunes++;
      life.pause(scheduler.nowMs + dice.pick([5, 100, 2_000, 100_000]) * dice.unit());
    }
    if (faults.strikes('clock jump')) life.clockOffsetMs += (dice.unit() - 0.5) * 50 * hourMs;
    if (faults.strikes('kill')) {
      simulation.misfortunes++;
      life.kill();
    }
    if (medium.replace !== undefined && faults.strikes('replaced directory')) {
      medium.replace();
      for (const each of lives) each.faults++;
    }
    if (faults.strikes('power loss')) {
      simulation.misfortunes++;
      losePower(simulation, life);
    }
  }
  medium.setRoom(Number.POSITIVE_INFINITY);
}

/** Everybody on a disk goes with its power; who uses a bucket goes alone. */
export function losePower({ medium, lives }: Simulation, life: Life): void {
  const isShared = medium.losePower();
  for (const each of isShared ? lives : [life]) each.kill();
}
