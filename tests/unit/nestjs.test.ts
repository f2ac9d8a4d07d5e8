// The parts of svc-auth/nestjs that need no application. Applications of NestJS are in tests/servers/nestjs.test.ts.
import 'reflect-metadata';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { DynamicModule, ExecutionContext, MiddlewareConsumer } from '@nestjs/common';
import { sqliteAdapter } from 'svc-auth';
import {
  ApiKeys,
  AuthGuard,
  Public,
  RequireSession,
  Roles,
  SvcAuthModule,
  type SvcAuthModuleOptions,
} from 'svc-auth/nestjs';
import type { CheckedOptions } from '../../src/nestjs/options.js';
import { makeService } from '../support/make-service.js';
import { errorOf } from '../support/outcomes.js';

describe('Decorators of svc-auth/nestjs', () => {
  const decorate = (...decorators: ClassDecorator[]) =>
    errorOf(() => {
      class Decorated {}
      for (const decorator of decorators) decorator(Decorated);
    });

  it.each([
    ['@Public() and @Roles()', [Public(), Roles('admin')]],
    ['@RequireSession() and @Public()', [RequireSession(), Public()]],
    ['@ApiKeys() and @Roles()', [ApiKeys('read'), Roles('admin')]],
    ['@Public() and @ApiKeys()', [Public(), ApiKeys()]],
  ])('refuse %s of one class', async (_name, decorators) => {
    expect(await decorate(...decorators)).toMatchObject({
      message: expect.stringContaining('contradicts another decorator') as string,
    });
  });

  it('refuse a property', async () => {
    const error = await errorOf(() => Public()({}, 'property', undefined as never));
    expect(error.message).toContain('must stand above a class or a method');
  });
});

describe('AuthGuard', () => {
  interface Guarded {
    prototype: { run: (this: void) => void };
  }

  /** Sends a request with a session to a handler `run` of the class. */
  async function callTo(type: Guarded) {
    const { service } = await makeService({ audit: true });
    const { id } = await service.users.create({ email: 'ada@acme.example', emailVerified: true });
    const { token } = service.createSessionToken(id);
    const headers = { authorization: `Bearer ${token}` };
    const req = { headers, method: 'GET', route: { path: '/notes/:id' }, get: () => undefined };
    const res = new ServerResponse(new IncomingMessage(new Socket()));
    const context = {
      getType: () => 'http',
      getClass: () => type,
      getHandler: () => type.prototype.run,
      switchToHttp: () => ({ getRequest: () => req, getResponse: () => res }),
    } as unknown as ExecutionContext;
    const outcome = await new AuthGuard(service).canActivate(context).catch((error: unknown) => error);
    return { service, id, outcome };
  }

  /** Returns the code of the refusal. */
  async function refusalOf(type: Guarded): Promise<unknown> {
    const { outcome } = await callTo(type);
    return outcome === true ? null : (outcome as { code: string }).code;
  }

  class Base {
    run(this: void): void {}
  }

  it('requires the roles of a class also in a class below it with another decorator', async () => {
    class Staff extends Base {}
    Roles('staff')(Staff);
    class Reports extends Staff {}
    RequireSession({ maxAgeMs: 60_000 })(Reports);
    class Open extends Staff {}
    Public()(Open);
    expect([await refusalOf(Base), await refusalOf(Staff), await refusalOf(Reports)]).toEqual([
      null,
      'not_authorized',
      'not_authorized',
    ]);
    expect(await refusalOf(Open)).toBeNull();
  });

  it('leaves a record of a refusal with the user who acts, and none for a handler that is public', async () => {
    class Staff extends Base {}
    Roles('staff')(Staff);
    const { service, id } = await callTo(Staff);
    const { records } = await service.audit.list({ action: 'request.refused' });
    expect(records).toMatchObject([
      {
        reason: 'role_missing',
        userId: id,
        actors: [{ type: 'user', id }],
        details: { route: 'GET /notes/:id' },
      },
    ]);
    class Open extends Staff {}
    Public()(Open);
    const { service: open } = await callTo(Open);
    expect((await open.audit.list({ action: 'request.refused' })).records).toEqual([]);
  });

  it('opens no handler whose @Roles() would replace the role of @RequireSession()', async () => {
    class Staff extends Base {
      override run(this: void): void {}
    }
    RequireSession({ role: 'staff' })(Staff);
    Roles('member')(Staff.prototype, 'run', Object.getOwnPropertyDescriptor(Staff.prototype, 'run')!);
    expect(await refusalOf(Staff)).toBe('internal_error');
  });

  it('refuses the messages of a microservice', async () => {
    const { service } = await makeService();
    const context = {
      getType: () => 'rpc',
      getClass: () => class Queue {},
      getHandler: () => () => undefined,
    } as unknown as ExecutionContext;
    expect(await errorOf(() => new AuthGuard(service).canActivate(context))).toMatchObject({
      code: 'internal_error',
      message: expect.stringContaining('rpc') as string,
    });
  });
});

describe('SvcAuthModule', () => {
  /** Returns the options that the module gets from Nest. */
  async function optionsOf({ providers }: DynamicModule): Promise<CheckedOptions> {
    const [options] = providers as {
      useValue?: CheckedOptions;
      useFactory?: () => Promise<CheckedOptions>;
    }[];
    return options!.useValue ?? (await options!.useFactory!());
  }

  it.each([
    ['forRoot', (options: SvcAuthModuleOptions) => SvcAuthModule.forRoot(options)],
    [
      'forRootAsync',
      (options: SvcAuthModuleOptions) => SvcAuthModule.forRootAsync({ useFactory: () => options }),
    ],
  ])('changes no schema with migrate: false of %s()', async (_name, moduleOf) => {
    const { service } = await makeService({ adapter: sqliteAdapter(), init: false });
    const start = async (options: SvcAuthModuleOptions) =>
      new SvcAuthModule(await optionsOf(moduleOf(options)), service).onModuleInit();
    const error = await errorOf(() => start({ service, migrate: false }));
    expect(error).toMatchObject({ code: 'config_invalid' });
    expect(error.message).toContain('lacks the migrations');
    await start({ service });
    await start({ service, migrate: false });
    await service.close();
  });

  it('refuses a migrate that is not a boolean, and names it', async () => {
    const { service } = await makeService();
    const error = await errorOf(() => SvcAuthModule.forRoot({ service, migrate: 'no' as never }));
    expect(error.message).toContain('SvcAuthModule.forRoot(…).migrate');
    const misspelled = await errorOf(() => SvcAuthModule.forRoot({ service, migrated: false } as never));
    expect(misspelled.message).toContain('did you mean');
  });

  it('refuses an application on Fastify', async () => {
    const { service } = await makeService();
    const module = new SvcAuthModule({ service, router: false, mount: [], migrate: true }, service);
    const consumer = {
      getHttpAdapter: () => ({ getType: () => 'fastify' }),
    } as unknown as MiddlewareConsumer;
    const error = await errorOf(() => module.configure(consumer));
    expect(error.message).toContain('@nestjs/platform-express');
  });
});
