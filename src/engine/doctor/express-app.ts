/** Reads an application of Express 4 or 5: its settings, and what is mounted in which order. Nothing here imports Express. */
import { internalsOf, type ServiceInternals } from '../../core/internals.js';

export type Handler = ((req: object, res: object, next: (error?: unknown) => void) => unknown) & {
  stack?: Layer[];
  [internalsOf]?: () => ServiceInternals;
};

export interface Layer {
  name: string;
  handle: Handler;
  /** Whether it is mounted on every path. */
  slash?: boolean;
  route?: { path: unknown; methods?: Record<string, boolean> };
  match?(path: string): unknown;
  /** Of Express 4. */
  regexp?: { fast_slash?: boolean };
}

export interface ExaminedApp {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly stack: readonly Layer[];
}

/** A router of this package in an application. */
export interface MountedRouter {
  readonly handle: Handler;
  readonly internals: ServiceInternals;
  /** What the router consists of, to recognize another one of the same kind. */
  readonly signature: string;
  /** What runs before it. */
  readonly before: readonly Layer[];
  readonly after: readonly Layer[];
  readonly layer: Layer;
  readonly isNested: boolean;
}

interface Express {
  handle?: unknown;
  settings?: Record<string, unknown>;
  /** Of Express 4. */
  _router?: Handler;
  router?: Handler;
}

/** Returns null if the value is not an application of Express. */
export function appOf(value: unknown): ExaminedApp | null {
  if (typeof value !== 'function') return null;
  const app = value as Express;
  if (typeof app.handle !== 'function' || typeof app.settings !== 'object') return null;
  return { settings: app.settings, stack: routerOf(app)?.stack ?? [] };
}

function routerOf(app: Express): Handler | undefined {
  if (app._router) return app._router;
  try {
    return app.router;
  } catch {
    // Express 4 throws, before the first route.
    return undefined;
  }
}

export function runsOnEveryPath(layer: Layer): boolean {
  return layer.slash === true || layer.regexp?.fast_slash === true;
}

/** Returns the routers of this package, also those inside of other routers. */
export function routersIn(
  stack: readonly Layer[],
  outerBefore: readonly Layer[] = [],
  outerAfter: readonly Layer[] = [],
  isNested = false,
): MountedRouter[] {
  return stack.flatMap((layer, at) => {
    const { handle } = layer;
    if (layer.route || !handle?.stack) return [];
    const before = [...outerBefore, ...stack.slice(0, at)];
    const after = [...stack.slice(at + 1), ...outerAfter];
    const internals = handle[internalsOf]?.();
    if (!internals) return routersIn(handle.stack, before, after, true);
    const routes = handle.stack.map(({ route }) =>
      [String(route?.path), ...Object.keys(route?.methods ?? {})].join(' '),
    );
    return [{ handle, internals, signature: routes.join('\n'), before, after, layer, isNested }];
  });
}

/** Returns the paths on which a router may be mounted, as the configuration and the request say. */
export function pathsOf({ layer, isNested }: MountedRouter, candidates: readonly string[]): string[] {
  if (runsOnEveryPath(layer) || isNested) return [...candidates];
  return candidates.filter((path) => matches(layer, path));
}

/** Whether a layer runs for one of the paths, or for every one. */
export function appliesTo(layer: Layer, paths: readonly string[]): boolean {
  return runsOnEveryPath(layer) || paths.some((path) => matches(layer, path));
}

function matches(layer: Layer, path: string): boolean {
  try {
    // An object, or true in older releases.
    return Boolean(layer.match?.(path));
  } catch {
    return false;
  }
}
