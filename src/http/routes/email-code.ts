/** POST /email-code/send, /email-code/verify */
import type { RequestHandler } from 'express';
import { post, requestContext, sendJson, signInContext } from '../route.js';
import type { RouteTools } from '../route-tools.js';
import { answerSignIn } from '../signed-in.js';

export function sendEmailCode({ service, read, schemas }: RouteTools): RequestHandler {
  return post(service, async (req, res) => {
    const provider = service.emailCode;
    const { email } = await read(req, res, schemas.email);
    sendJson(res, await provider.sendCode({ email }, requestContext(req)));
  });
}

export function verifyEmailCode({ service, read, schemas }: RouteTools): RequestHandler {
  return post(service, async (req, res) => {
    const provider = service.emailCode;
    const { email, code } = await read(req, res, schemas.emailAndCode);
    const result = await provider.verify({ email, code }, signInContext(service, req));
    answerSignIn(service, req, res, result, { user: result.user, created: result.created });
  });
}
