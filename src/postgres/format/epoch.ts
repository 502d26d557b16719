/** The epoch of dates and times in the binary format: 2000-01-01. */

export const epochMs = 946_684_800_000;

/** The largest numbers, which stand for infinity. The smallest ones stand for minus infinity. */
export const infinite = { days: 0x7fff_ffff, micros: 0x7fff_ffff_ffff_ffffn } as const;
