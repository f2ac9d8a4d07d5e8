/** Runs every check, each with a timeout, and returns what they find. Writes nothing. */
import type { ParsedConfig } from '../../config/schema.js';
import { InvalidRequestError } from '../../errors/catalog.js';
import type { ServiceInternals } from '../../core/internals.js';
import { parseOptions } from '../../core/support/input.js';
import { withTimeout } from '../../core/support/timeouts.js';
import { appOf } from './express-app.js';
import type { Examined, ExaminedRequest, Finding, FindingSeverity, Found } from './finding.js';
import { families, findingKinds } from './registry.js';

export interface DiagnoseOptions {
  /** The Express application, to check `trust proxy`, routers, body parsers and CORS. Default: that of `request`. */
  app?: object | undefined;
  /** A request that Express has received through your proxies, to check `trust proxy`, cookies and origins. */
  request?: object | undefined;
}

const timeoutMs = 10_000;

/** @throws InvalidRequestError for unknown options, or if `app` is not an application of Express. */
export async function diagnose(
  config: ParsedConfig,
  internals: ServiceInternals,
  options: DiagnoseOptions,
): Promise<Finding[]> {
  const { app, request = null } = parseOptions(options, ['app', 'request']);
  const examinedRequest = request as ExaminedRequest | null;
  if (examinedRequest && typeof examinedRequest.headers !== 'object')
    throw new InvalidRequestError('request must be a request of Express.');
  const examined: Examined = {
    config,
    internals,
    app: appOf(app ?? examinedRequest?.app),
    request: examinedRequest,
    env: process.env,
    isProduction: process.env['NODE_ENV'] === 'production',
  };
  if (app !== undefined && !examined.app)
    throw new InvalidRequestError('app must be an application of Express.');
  const checks = families.flatMap((family) => Object.entries(family.checks));
  const found = await Promise.all(
    checks.map(([name, check]) =>
      withTimeout(run(check, examined), name, timeoutMs).catch(() => [incomplete(name)]),
    ),
  );
  return found.flat().map(toFinding).sort(bySeverity);
}

async function run(
  check: (examined: Examined) => Found[] | Promise<Found[]>,
  examined: Examined,
): Promise<Found[]> {
  return check(examined);
}

// Without the error: it may contain values of the database.
function incomplete(name: string): Found {
  return {
    id: 'check_incomplete',
    title: `The check "${name}" failed, or did not end within ${timeoutMs / 1000} seconds.`,
    fix: 'Run the doctor again, when the database and the network are less busy.',
  };
}

export function toFinding({ id, title, fix }: Found): Finding {
  const { severity, why } = findingKinds[id]!;
  return { id, severity, title, why, fix };
}

const order: readonly FindingSeverity[] = ['error', 'warning', 'hint'];

function bySeverity(a: Finding, b: Finding): number {
  return order.indexOf(a.severity) - order.indexOf(b.severity);
}
