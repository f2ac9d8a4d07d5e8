// The parts of svc-auth/nestjs that need no application. Applications of NestJS are in tests/servers/nestjs.test.ts.
import 'reflect-metadata';
import type { ExecutionContext, MiddlewareConsumer } from '@nestjs/common';
import { ApiKeys, AuthGuard, Public, RequireSession, Roles, SvcAuthModule } from 'svc-auth/nestjs';
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
  it('refuses an application on Fastify', async () => {
    const { service } = await makeService();
    const module = new SvcAuthModule({ service, router: false, mount: [] }, service);
    const consumer = {
      getHttpAdapter: () => ({ getType: () => 'fastify' }),
    } as unknown as MiddlewareConsumer;
    const error = await errorOf(() => module.configure(consumer));
    expect(error.message).toContain('@nestjs/platform-express');
  });
});
