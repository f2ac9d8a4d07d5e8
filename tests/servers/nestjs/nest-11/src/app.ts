/** The applications of tests/servers/nestjs.test.ts. */
import 'reflect-metadata';
import { Controller, Get, Module, UseGuards, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { WsAdapter } from '@nestjs/platform-ws';
import type { AddressInfo } from 'node:net';
import { communityLicense, createService, memoryAdapter, type Service, type ServiceConfig } from 'svc-auth';
import { AuthGuard, SVC_AUTH, SvcAuthExceptionFilter, SvcAuthModule } from 'svc-auth/nestjs';
import { createPages } from 'svc-auth/pages';
import { outbox } from 'svc-auth/testing';
import {
  ForgottenGateway,
  HalfGateway,
  IoGateway,
  LobbyGateway,
  socketOptions,
  WsGateway,
} from './gateways.js';
import {
  BranchController,
  OfficeController,
  PeopleController,
  PublicController,
} from './people.controller.js';
import { Settings, SettingsModule } from './settings.js';

export interface StartOptions {
  sockets?: 'ws' | 'socket.io';
  recheckMs?: number;
  clock?: () => number;
  bodyParser?: boolean;
  rawBody?: boolean;
  cors?: string;
  globalPrefix?: string;
  /** More modules, such as that of GraphQL. */
  imports?: DynamicModule[];
}

function configOf(secret: string, clock: (() => number) | undefined) {
  const sender = outbox();
  const config: ServiceConfig = {
    adapter: memoryAdapter(),
    session: { secret, renewAfterMs: 60_000 },
    appName: 'Nest',
    licenseKey: communityLicense,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    ...(clock && { clock }),
    providers: { emailCode: { sender }, emailPassword: { sender }, apiKeys: { scopes: ['read', 'write'] } },
  };
  return { sender, config };
}

/** The guard for every route, a service that the module makes, and options that depend on a provider. */
export async function startGlobal(options: StartOptions = {}) {
  let mails: ReturnType<typeof outbox> | undefined;
  const auth = SvcAuthModule.forRootAsync({
    imports: [SettingsModule],
    inject: [Settings],
    useFactory: async (settings: Settings) => {
      const { sender, config } = configOf(settings.get('SECRET'), options.clock);
      mails = sender;
      return { config, mount: [{ router: (service) => createPages(service, { name: 'Nest' }) }] };
    },
  });
  const gateways = {
    ws: [WsGateway, LobbyGateway, ForgottenGateway, HalfGateway],
    'socket.io': [IoGateway],
    none: [],
  }[options.sockets ?? 'none'];

  @Module({
    imports: [auth, ...(options.imports ?? [])],
    controllers: [PeopleController, PublicController, OfficeController, BranchController],
    providers: [
      { provide: APP_GUARD, useClass: AuthGuard },
      { provide: APP_FILTER, useClass: SvcAuthExceptionFilter },
      ...gateways,
    ],
  })
  class AppModule {}

  const { bodyParser = true, rawBody = false } = options;
  const app = await NestFactory.create<NestExpressApplication>(AppModule, {
    bodyParser,
    rawBody,
    logger: false,
  });
  socketOptions.recheckMs = options.recheckMs ?? 0;
  if (options.sockets)
    app.useWebSocketAdapter(options.sockets === 'ws' ? new WsAdapter(app) : new IoAdapter(app));
  if (options.cors) app.enableCors({ origin: options.cors, credentials: true });
  if (options.globalPrefix) app.setGlobalPrefix(options.globalPrefix);
  await app.listen(0, '127.0.0.1');
  return { ...running(app), mails: mails!, service: app.get<Service>(SVC_AUTH) };
}

@UseGuards(AuthGuard)
@Controller('guarded')
class GuardedController {
  @Get()
  get() {
    return { ok: true };
  }
}

@Controller('unguarded')
class UnguardedController {
  @Get()
  get() {
    return { ok: true };
  }
}

/** The guard for one controller, and a service of the application. */
export async function startLocal() {
  const { sender, config } = configOf('another secret of the tests, 32 bytes or more', undefined);
  const service = createService(config);
  const auth = SvcAuthModule.forRoot({ service, router: { path: '/login/' }, isGlobal: false });

  @Module({ imports: [auth], controllers: [GuardedController] })
  class GuardedModule {}
  @Module({ imports: [auth, GuardedModule], controllers: [UnguardedController] })
  class AppModule {}

  const app = await NestFactory.create<NestExpressApplication>(AppModule, { logger: false });
  await app.listen(0, '127.0.0.1');
  return { ...running(app), mails: sender, service };
}

function running(app: NestExpressApplication) {
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => app.close() };
}

export { SvcAuthModule };
