/** Finds the service of an application: its routers and guards lead to it. */
import { internals, internalsOf, type ServiceInternals } from '../../src/core/internals.js';

/** The parts of an Express application, a router and a layer that this reads. */
interface Node {
  [internals]?: ServiceInternals;
  [internalsOf]?: () => ServiceInternals;
  _router?: unknown;
  router?: unknown;
  stack?: unknown;
  handle?: unknown;
  route?: unknown;
}

/** @throws Error unless the application has exactly one service. */
export function findService(app: unknown): ServiceInternals {
  const found = new Set<ServiceInternals>();
  collect(app, found, new Set());
  const [tools, ...others] = found;
  if (!tools || others.length > 0)
    throw new Error(
      `loginAs found ${tools ? 'several services' : 'no service'} in the application: pass { service }.`,
    );
  return tools;
}

function collect(value: unknown, found: Set<ServiceInternals>, visited: Set<unknown>): void {
  const isNode = typeof value === 'function' || (typeof value === 'object' && value !== null);
  if (!isNode || visited.has(value)) return;
  visited.add(value);
  const node = value as Node;
  const tools = node[internals] ?? node[internalsOf]?.();
  if (tools) {
    found.add(tools);
    return;
  }
  const layers = Array.isArray(node.stack) ? (node.stack as unknown[]) : [];
  for (const child of [routerOf(node), node.handle, node.route, ...layers]) collect(child, found, visited);
}

/** Express 4 has `_router`, and a property `router` that throws; Express 5 has `router`. */
function routerOf(node: Node): unknown {
  if (typeof node !== 'function') return undefined;
  const { _router } = node as Node;
  if (_router !== undefined) return _router;
  try {
    return (node as Node).router;
  } catch {
    return undefined;
  }
}
