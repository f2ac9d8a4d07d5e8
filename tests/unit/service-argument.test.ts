// Functions that are called without a service throw immediately, and not at the first request.
import * as library from 'svc-auth';
import * as adminPages from 'svc-auth/admin';
import * as pages from 'svc-auth/pages';
import { ConfigError } from 'svc-auth';

const takesService = {
  createAdminPages: adminPages.createAdminPages,
  createAdminRouter: library.createAdminRouter,
  createAuthRouter: library.createAuthRouter,
  createPages: pages.createPages,
  createProRouter: library.createProRouter,
  formToken: pages.formToken,
  healthRoute: library.healthRoute,
  optionalSession: library.optionalSession,
  rememberLinkBrowser: library.rememberLinkBrowser,
  requireApiKey: library.requireApiKey,
  requireOrgRole: library.requireOrgRole,
  requireRole: library.requireRole,
  requireSession: library.requireSession,
  sameOrigin: library.sameOrigin,
  serviceErrorHandler: library.serviceErrorHandler,
  signInContext: library.signInContext,
  signInResponse: library.signInResponse,
  wellKnownRoutes: library.wellKnownRoutes,
} as Record<string, (...args: unknown[]) => unknown>;

const notServices = [
  undefined,
  null,
  42,
  'service',
  {},
  [],
  () => undefined,
  Promise.resolve({}),
  library.Service,
];

describe.each(Object.entries(takesService))('%s', (name, call) => {
  it('the function throws a ConfigError that says what to pass if the first argument is not a service', () => {
    for (const argument of notServices) {
      expect(() => call(argument)).toThrow(ConfigError);
      expect(() => call(argument, { min: 'admin' })).toThrow(
        `${name}(service): must be the service that createService() returns`,
      );
    }
    expect(() => call()).toThrow(ConfigError);
  });
});

describe('asyncRoute', () => {
  it('asyncRoute() throws a ConfigError if its argument is not a function', () => {
    for (const argument of [undefined, null, {}, Promise.resolve()]) {
      expect(() => library.asyncRoute(argument as never)).toThrow('asyncRoute(handler): must be a function');
    }
  });
});

it('the list of this test contains every exported function whose first parameter is a service', async () => {
  // Detected by the name of the parameter in the declaration.
  const functionNames = Object.entries({ ...library, ...adminPages, ...pages })
    .filter(
      ([, value]) => typeof value === 'function' && /^(?:async )?function \w+\(service\b/.test(String(value)),
    )
    .map(([name]) => name);
  expect(functionNames.sort()).toEqual(Object.keys(takesService).sort());
});
