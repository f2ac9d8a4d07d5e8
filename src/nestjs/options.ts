/** The options of the module. */
import type { DynamicModule, FactoryProvider, ModuleMetadata } from '@nestjs/common';
import type { RequestHandler } from 'express';
import type { ServiceConfig } from '../config/service-config.js';
import type { Service } from '../engine/service.js';
import type { AuthRouterOptions } from '../http/router.js';
import { checkOptions, refuseOption } from '../errors/options.js';

export interface SvcAuthModuleOptions {
  /** A service of `createService`, which the application closes. Either this or `config`. */
  service?: Service;
  /** The configuration of a service that the module creates, and closes when the application shuts down. */
  config?: ServiceConfig;
  /**
   * The options of `createAuthRouter`, and the path of the routes, by default `api/auth`. The global
   * prefix of the application is not added to it. With `false` the routes are not mounted.
   */
  router?: (AuthRouterOptions & { path?: string }) | false;
  /** Other routers, in their order: `{ router: (service) => createPages(service, { name: 'Acme' }) }`. */
  mount?: readonly MountedRouter[];
  /** Whether the service migrates the tables when the application starts, as `service.init({ migrate })`. Default true. */
  migrate?: boolean;
  /** Whether every module can inject the service and use the guard without importing this module. Default true. */
  isGlobal?: boolean;
}

export interface MountedRouter {
  /** Default `/`. The global prefix of the application is not added to it. */
  path?: string;
  /** Called once, before the service is initialized. */
  router: (service: Service) => RequestHandler;
}

export interface SvcAuthModuleAsyncOptions {
  imports?: ModuleMetadata['imports'];
  inject?: FactoryProvider['inject'];
  /** Returns the options. Its parameters are what `inject` names. */
  useFactory: (
    ...args: never[]
  ) => Omit<SvcAuthModuleOptions, 'isGlobal'> | Promise<Omit<SvcAuthModuleOptions, 'isGlobal'>>;
  /** As for `forRoot`. */
  isGlobal?: boolean;
}

/** What the module uses. */
export interface CheckedOptions extends Omit<
  SvcAuthModuleOptions,
  'router' | 'mount' | 'migrate' | 'isGlobal'
> {
  router: (AuthRouterOptions & { path: string }) | false;
  mount: readonly Required<MountedRouter>[];
  migrate: boolean;
}

/**
 * Returns the options with their defaults.
 * @param call for the error message.
 * @throws ConfigError that names an unknown, missing or invalid option.
 */
export function checkModuleOptions(call: string, options: SvcAuthModuleOptions): CheckedOptions {
  checkOptions(call, options, ['service', 'config', 'router', 'mount', 'migrate', 'isGlobal']);
  const { service, config, router = {}, mount = [], migrate = true } = options;
  if ((service === undefined) === (config === undefined))
    refuseOption(call, 'must be called with either a service or a config');
  if (!isList(mount)) refuseOption(`${call}.mount`, 'must be a list');
  if (!isBoolean(migrate)) refuseOption(`${call}.migrate`, 'must be true or false');
  return {
    migrate,
    ...(service && { service }),
    ...(config && { config }),
    router: router !== false && {
      ...router,
      path: mountPath(`${call}.router.path`, router.path ?? 'api/auth'),
    },
    mount: mount.map((each) => mounted(`${call}.mount`, each)),
  };
}

const isList = (value: unknown): boolean => Array.isArray(value);
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';

function mounted(call: string, mount: MountedRouter): Required<MountedRouter> {
  checkOptions(call, mount, ['path', 'router']);
  if (typeof mount.router !== 'function') refuseOption(`${call}.router`, 'must be a function of the service');
  return { router: mount.router, path: mountPath(`${call}.path`, mount.path ?? '/') };
}

/** Nest writes paths without a slash at the start, Express with one. */
function mountPath(option: string, path: unknown): string {
  if (typeof path !== 'string' || !/^[\w./~-]*$/.test(path))
    return refuseOption(option, 'must be a path such as api/auth');
  return `/${path.replace(/^\/+|\/+$/g, '')}`;
}

/** Whether every module can use what this one exports. @throws ConfigError */
export function parseIsGlobal(call: string, isGlobal: unknown = true): NonNullable<DynamicModule['global']> {
  return typeof isGlobal === 'boolean' ? isGlobal : refuseOption(`${call}.isGlobal`, 'must be true or false');
}
