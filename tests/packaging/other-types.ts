/**
 * How other packages extend Express's types: their declarations, reduced to the request. Installing the packages would add 99
 * packages and 44 MB. Versions: @modelcontextprotocol/express 2.0.2, express-oauth2-jwt-bearer 1.10.0, @clerk/express 2.1.70 (its env.d.ts),
 * @types/passport 1.0.17.
 */

export interface OtherTypes {
  /** The package whose import brings the declarations. */
  name: string;
  declarations: string;
  /** A statement that uses the package's extension on the request of a route that svc-auth guards. */
  use: string;
}

export const otherTypes: OtherTypes[] = [
  {
    name: '@modelcontextprotocol/express',
    declarations: `
      export interface AuthInfo { token: string; clientId: string; scopes: string[]; expiresAt?: number; extra?: Record<string, unknown> }
      declare module 'express-serve-static-core' {
        interface Request { auth?: AuthInfo }
      }`,
    use: 'const scopes: string[] | undefined = req.auth?.scopes;',
  },
  {
    name: 'express-oauth2-jwt-bearer',
    declarations: `
      export interface VerifyJwtResult { header: Record<string, unknown>; payload: { sub?: string; iss?: string }; token: string }
      declare global {
        namespace Express {
          interface Request { auth?: VerifyJwtResult }
        }
      }`,
    use: 'const scopes: string | undefined = req.auth?.payload.sub;',
  },
  {
    name: '@clerk/express/env',
    declarations: `
      export interface AuthObject { isAuthenticated: boolean }
      declare global {
        namespace Express {
          interface Request { auth: (options?: { treatPendingAsSignedOut?: boolean }) => AuthObject }
        }
      }`,
    use: 'const scopes: boolean = req.auth().isAuthenticated;',
  },
  {
    name: 'passport',
    declarations: `
      declare global {
        namespace Express {
          interface AuthInfo {}
          interface User {}
          interface Request {
            authInfo?: AuthInfo | undefined;
            user?: User | undefined;
            logIn(user: User, done: (err: any) => void): void;
            isAuthenticated(): this is AuthenticatedRequest;
            isUnauthenticated(): this is UnauthenticatedRequest;
          }
          interface AuthenticatedRequest extends Request { user: User }
          interface UnauthenticatedRequest extends Request { user?: undefined }
        }
      }
      export {};`,
    use: 'const scopes: string | undefined = req.isAuthenticated() ? req.user.id : undefined;',
  },
];

/** Returns an application module that uses both. */
export const usedWith = ({ name, use }: OtherTypes) => `
  import express from 'express';
  import type {} from '${name}';
  import { requireSession, type RequestAuth, type Service, type ServiceUser } from 'svc-auth';
  export const routes = (service: Service) =>
    express().get('/me', requireSession(service), (req, res) => {
      const user: ServiceUser | undefined = req.user;
      const session: RequestAuth | undefined = req.svcAuth;
      ${use}
      res.json([user?.id, session?.claims.sub, scopes]);
    });
`;
