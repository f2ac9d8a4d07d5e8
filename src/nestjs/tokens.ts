/** The injection tokens. */
import { Inject } from '@nestjs/common';

/** The token of the `Service`: `constructor(@Inject(SVC_AUTH) private readonly auth: Service)`. */
export const SVC_AUTH = Symbol.for('svc-auth.nestjs.service');

/** The token of the checked options of the module. */
export const OPTIONS = Symbol.for('svc-auth.nestjs.options');

/** Injects the `Service`: `constructor(@InjectSvcAuth() private readonly auth: Service)`. */
export function InjectSvcAuth(): PropertyDecorator & ParameterDecorator {
  return Inject(SVC_AUTH);
}
