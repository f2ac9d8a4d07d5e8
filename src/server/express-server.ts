/**
 * A server for an Express application that constructs requests and responses with the prototypes of
 * the application. Express sets these prototypes on every request. A change of prototype makes V8
 * leave its fast paths for the object; setting the prototype that the object already has does
 * nothing. docs/performance.md has the figures.
 */
import http from 'node:http';
import https from 'node:https';

/** An Express 4 or 5 application. */
export interface ExpressApplication {
  (req: http.IncomingMessage, res: http.ServerResponse): unknown;
  /** The prototype of its requests. */
  request: object;
  /** The prototype of its responses. */
  response: object;
}

/** The options of `http.createServer()`, without the classes, which Express determines. */
export interface ExpressServerOptions extends Omit<http.ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  /** Serves HTTPS with these options of `https.createServer()`, such as `key` and `cert`. */
  https?: https.ServerOptions | undefined;
}

/**
 * Creates an HTTPS server for an Express application with the options in `https`.
 *
 * @throws TypeError if `app` is not an Express application.
 */
export function expressServer(
  app: ExpressApplication,
  options: ExpressServerOptions & { https: https.ServerOptions },
): https.Server;
/**
 * Creates a server for an Express application, as `app.listen()` does, but does not start it. The
 * application behaves the same and is faster on Node.js 20 and 22.
 *
 * @param options are passed to `http.createServer()`, or to `https.createServer()` if `https` is set.
 * @throws TypeError if `app` is not an Express application.
 */
export function expressServer(app: ExpressApplication, options?: ExpressServerOptions): http.Server;
export function expressServer(
  app: ExpressApplication,
  { https: tls, ...options }: ExpressServerOptions = {},
): http.Server {
  if (!((app as ExpressApplication | undefined)?.request instanceof http.IncomingMessage)) {
    throw new TypeError('`app` must be an Express application, such as `express()` returns.');
  }
  const classes = {
    IncomingMessage: withPrototype(http.IncomingMessage, app.request),
    ServerResponse: withPrototype(http.ServerResponse, app.response),
  };
  return tls
    ? https.createServer({ ...options, ...tls, ...classes }, app)
    : http.createServer({ ...options, ...classes }, app);
}

/**
 * Returns a constructor that creates objects as `base` does, with another prototype. It is a
 * function because the `prototype` of a class is read-only, and it calls `base` because
 * `Reflect.construct()` is slower on Node.js 20 than Express itself.
 */
function withPrototype<Base extends object>(base: Base, prototype: object): Base {
  function Message(this: object, ...args: unknown[]): void {
    Reflect.apply(base as unknown as () => void, this, args);
  }
  Message.prototype = prototype;
  // V8 reserves space for the fields that the inherited constructors set.
  return Object.setPrototypeOf(Message, base) as Base;
}
