/** The module: provides the service, mounts its routes, and starts and stops it with the application. */
import {
  Inject,
  Module,
  type DynamicModule,
  type MiddlewareConsumer,
  type NestModule,
  type OnApplicationShutdown,
  type OnModuleInit,
  type Provider,
} from '@nestjs/common';
import { checkOptions, refuseOption } from '../errors/options.js';
import { createService, type Service } from '../engine/service.js';
import { checkService } from '../http/check-service.js';
import { createAuthRouter } from '../http/router.js';
import { AuthGuard } from './auth-guard.js';
import { SvcAuthExceptionFilter } from './exception-filter.js';
import {
  checkModuleOptions,
  parseIsGlobal,
  type CheckedOptions,
  type SvcAuthModuleAsyncOptions,
  type SvcAuthModuleOptions,
} from './options.js';
import { SvcAuthSockets } from './sockets.js';
import { OPTIONS, SVC_AUTH } from './tokens.js';

/** What the module uses of the application that Nest builds. */
interface HttpAdapter {
  getType(): string;
  use(path: string, handler: unknown): unknown;
}

/** `SvcAuthModule.forRoot({ config })` in the imports of the root module. */
export class SvcAuthModule implements NestModule, OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly options: CheckedOptions,
    private readonly service: Service,
  ) {}

  /**
   * Provides the service and mounts its routes.
   * @throws ConfigError that names an unknown, missing or invalid option.
   */
  static forRoot(options: SvcAuthModuleOptions): DynamicModule {
    const call = 'SvcAuthModule.forRoot(…)';
    const useValue = checkModuleOptions(call, options);
    return dynamicModule({ provide: OPTIONS, useValue }, parseIsGlobal(call, options.isGlobal));
  }

  /**
   * As `forRoot`, with options that other providers know, such as a `ConfigService`.
   * @throws ConfigError that names an unknown or invalid option.
   */
  static forRootAsync(options: SvcAuthModuleAsyncOptions): DynamicModule {
    const call = 'SvcAuthModule.forRootAsync(…)';
    checkOptions(call, options, ['imports', 'inject', 'useFactory', 'isGlobal']);
    const { imports = [], inject = [], useFactory, isGlobal } = options;
    if (typeof useFactory !== 'function') refuseOption(`${call}.useFactory`, 'must be a function');
    const provider: Provider = {
      provide: OPTIONS,
      inject,
      useFactory: async (...args: never[]) =>
        checkModuleOptions(`${call}.useFactory()`, await useFactory(...args)),
    };
    return { ...dynamicModule(provider, parseIsGlobal(call, isGlobal)), imports };
  }

  /** Nest calls it after the middleware that the application adds itself, such as CORS headers and body parsers. */
  configure(consumer: MiddlewareConsumer): void {
    const adapter = (consumer as MiddlewareConsumer & { getHttpAdapter(): HttpAdapter }).getHttpAdapter();
    if (adapter.getType() !== 'express')
      refuseOption('SvcAuthModule', 'needs Express: create the application with @nestjs/platform-express');
    const { router, mount } = this.options;
    if (router) {
      const { path, ...others } = router;
      adapter.use(path, createAuthRouter(this.service, others));
    }
    for (const each of mount) adapter.use(each.path, each.router(this.service));
  }

  async onModuleInit(): Promise<void> {
    await this.service.init({ migrate: this.options.migrate });
  }

  /** Nest calls it when the server has closed. A service that the application has created is closed by it. */
  async onApplicationShutdown(): Promise<void> {
    if (this.options.config) await this.service.close();
  }
}

// Decorators are called as functions: then the build needs no compiler option, and no type is needed at run time.
Module({})(SvcAuthModule);
Inject(OPTIONS)(SvcAuthModule, undefined, 0);
Inject(SVC_AUTH)(SvcAuthModule, undefined, 1);

function dynamicModule(options: Provider, global: boolean): DynamicModule {
  const provided = [AuthGuard, SvcAuthExceptionFilter, SvcAuthSockets];
  return {
    module: SvcAuthModule,
    global,
    providers: [options, { provide: SVC_AUTH, inject: [OPTIONS], useFactory: serviceOf }, ...provided],
    exports: [SVC_AUTH, ...provided],
  };
}

function serviceOf({ service, config }: CheckedOptions): Service {
  if (config) return createService(config);
  checkService(service, 'SvcAuthModule');
  return service;
}
