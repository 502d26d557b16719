/** How many connections there are against how many there may be; the listener's owner counts them, the application acts by it. */

/** `high`: answers end their connection. `full`: what is not control gets nothing else, either. */
export type ConnectionPressure = 'normal' | 'high' | 'full';
