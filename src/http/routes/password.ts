/** POST /password/signup, /password/login, /password/request-reset, /password/reset */
import type { RequestHandler } from 'express';
import { post, requestContext, sendJson, signInContext } from '../route.js';
import type { RouteTools } from '../route-tools.js';
import { answerSignIn } from '../signed-in.js';

export function signup({ service, read, schemas }: RouteTools): RequestHandler {
  return post(service, async (req, res) => {
    const provider = service.emailPassword;
    const { email, password } = await read(req, res, schemas.emailAndPassword);
    const result = await provider.signup({ email, password }, signInContext(service, req));
    answerSignIn(service, req, res, result, { user: result.user });
  });
}

export function login({ service, read, schemas }: RouteTools): RequestHandler {
  return post(service, async (req, res) => {
    const provider = service.emailPassword;
    const { email, password } = await read(req, res, schemas.emailAndPassword);
    const result = await provider.login({ email, password }, signInContext(service, req));
    answerSignIn(service, req, res, result, { user: result.user });
  });
}

export function requestReset({ service, read, schemas }: RouteTools): RequestHandler {
  return post(service, async (req, res) => {
    const provider = service.emailPassword;
    const { email } = await read(req, res, schemas.email);
    sendJson(res, await provider.requestReset({ email }, requestContext(req)));
  });
}

export function reset({ service, read, schemas }: RouteTools): RequestHandler {
  return post(service, async (req, res) => {
    const provider = service.emailPassword;
    const { token, newPassword } = await read(req, res, schemas.tokenAndNewPassword);
    // No cookie: whoever has the link has the mailbox, not yet a second factor.
    sendJson(res, await provider.setPassword({ token, newPassword }));
  });
}
