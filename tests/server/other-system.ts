/** Loaded before svc: the process takes its system for macOS, whose C library is not here. So there is no flock, no O_DSYNC, and no table of sockets. */

Object.defineProperty(process, 'platform', { value: 'darwin' });
