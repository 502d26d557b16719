/** What an oracle throws, and what a process throws that has just lost its power. */

/** The store has broken its word. */
export class Wrong extends Error {}

/** The power went in the middle of what this process was doing. */
export class PowerLoss extends Error {}
