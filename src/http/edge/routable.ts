/** Makes requests over TLS routable. The router finds the path behind the first slash after `http://`, whatever the scheme. */

/** Returns `request`. If its URL begins with `https://`, it begins with `http://` from now on. */
export function routable(request: Request): Request {
  const { url } = request;
  if (!url.startsWith('https://')) return request;
  // A copy of the request would have no socket.
  return Object.defineProperty(request, 'url', { value: `http${url.slice('https'.length)}` });
}
