/** The guard of routes, resolvers and messages. */
import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Service } from '../engine/service.js';
import { internals } from '../core/internals.js';
import { inRequest } from '../http/acting-request.js';
import { setReason } from '../http/refusal.js';
import { asError } from '../http/require-session.js';
import { accessOf } from './access.js';
import { checkFor, type CallCheck } from './checks.js';
import { exceptionFor } from './exceptions.js';
import { callOf } from './request-of.js';
import { SVC_AUTH } from './tokens.js';

/**
 * Requires a session, as `requireSession` does, and sets `req.user` and `req.svcAuth`. `@Public()`,
 * `@Roles()`, `@RequireSession()` and `@ApiKeys()` change what it requires. Refuses requests of
 * pages of another site that change something, as `sameOrigin` does. Use it with `@UseGuards`, or
 * for every route and resolver as `{ provide: APP_GUARD, useClass: AuthGuard }`.
 */
export class AuthGuard implements CanActivate {
  /** The checks of handlers, by their class: a class inherits handlers. */
  private readonly checks = new WeakMap<object, WeakMap<object, CallCheck>>();

  constructor(private readonly service: Service) {}

  /** @throws an exception of Nest with the code of the refusal. */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const check = this.checkOf(context);
    const call = callOf(context);
    const tools = this.service[internals];
    await inRequest(tools, call.req, async () => {
      try {
        await check(call);
      } catch (error) {
        const refusal = asError(error, call.req, tools);
        if (call.kind === 'http' && call.res && !call.res.headersSent) setReason(call.res, refusal);
        throw exceptionFor(call.kind, refusal);
      }
    });
    return true;
  }

  private checkOf(context: ExecutionContext): CallCheck {
    const [type, handler] = [context.getClass(), context.getHandler()];
    const ofType = this.checks.get(type) ?? new WeakMap<object, CallCheck>();
    this.checks.set(type, ofType);
    const known = ofType.get(handler);
    if (known) return known;
    const check = checkFor(this.service, accessOf(handler, type), `${type.name}.${handler.name}`);
    ofType.set(handler, check);
    return check;
  }
}

Injectable()(AuthGuard);
Inject(SVC_AUTH)(AuthGuard, undefined, 0);
