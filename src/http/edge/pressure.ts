/** The number of connections relative to their maximum. The owner of the listener counts them, and the application reacts. */

/** `high`: each response closes its connection. `full`: in addition, only probes, `/healthz` and `/metrics` are served. */
export type ConnectionPressure = 'normal' | 'high' | 'full';
