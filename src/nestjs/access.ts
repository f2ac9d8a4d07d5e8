/** What decorators say about the callers of a handler or a class. */
import { SetMetadata } from '@nestjs/common';
import { ConfigError } from '../errors/catalog.js';
import type { RequireApiKeyOptions } from '../http/require-api-key.js';
import type { RequireSessionOptions } from '../http/require-session.js';

export type AccessDecorator = ClassDecorator & MethodDecorator;

/** Who may call. */
export interface AccessDeclaration {
  isPublic?: true;
  roles?: readonly string[];
  session?: RequireSessionOptions;
  apiKey?: RequireApiKeyOptions;
}

const key = 'svc-auth:access';

/** Nest loads reflect-metadata before it reads any decorator. */
const metadata = Reflect as unknown as {
  getOwnMetadata(key: string, target: object): AccessDeclaration | undefined;
};

/** Lets every request through. A request with a valid session has its user. */
export function Public(): AccessDecorator {
  return declare('Public', { isPublic: true });
}

/** Lets users through who have at least one of these roles of the application, as `requireRole` does. */
export function Roles(...roles: string[]): AccessDecorator {
  return declare('Roles', { roles });
}

/** Lets sessions through that meet these requirements, as `requireSession(service, options)` does. */
export function RequireSession(options: RequireSessionOptions = {}): AccessDecorator {
  return declare('RequireSession', { session: options });
}

/** Lets only API keys through, with all of these scopes, as `requireApiKey` does (Pro). */
export function ApiKeys(...scopes: string[]): AccessDecorator {
  return declare('ApiKeys', { apiKey: { scopes } });
}

/**
 * Returns who may call a handler. What is declared at the handler replaces what its class declares with the same decorator, and a class
 * replaces what the class above it declares. `@Public()` and `@ApiKeys()` of a class have no effect on a handler with another decorator:
 * `@Roles('admin')` in a public class requires the role.
 */
export function accessOf(handler: object, type: object): AccessDeclaration {
  return combined(metadata.getOwnMetadata(key, handler), ofClass(type));
}

/** With what the classes above it require: a decorator of a class must not open it to those whom they refuse. */
function ofClass(type: object): AccessDeclaration {
  const parent = Object.getPrototypeOf(type) as object | null;
  return combined(metadata.getOwnMetadata(key, type), parent ? ofClass(parent) : {});
}

function combined(own: AccessDeclaration | undefined, above: AccessDeclaration): AccessDeclaration {
  if (!own) return above;
  if (own.isPublic || own.apiKey || above.isPublic || above.apiKey) return own;
  return { ...above, ...own };
}

function declare(name: string, added: AccessDeclaration): AccessDecorator {
  return (target: object, _key?: string | symbol, descriptor?: PropertyDescriptor) => {
    const decorated = (descriptor ? (descriptor.value as unknown) : target) as object | undefined;
    if (typeof decorated !== 'function') throw misplaced(name, 'must stand above a class or a method');
    const merged = { ...metadata.getOwnMetadata(key, decorated), ...added };
    const kinds = [merged.isPublic, merged.apiKey, merged.session ?? merged.roles].filter(Boolean);
    if (kinds.length > 1) throw misplaced(name, 'contradicts another decorator of the same class or method');
    SetMetadata(key, merged)(decorated);
  };
}

const misplaced = (name: string, message: string) => new ConfigError([{ path: `@${name}()`, message }]);
