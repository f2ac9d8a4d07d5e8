/** A fake `navigator.credentials` in front of a software authenticator: buffers on one side, JSON on the other. */
import type { SoftwareAuthenticator } from 'svc-auth/testing';

type Json = Record<string, unknown>;

export interface BrowserPasskeys {
  /** The options that the page passed, `mediation` included, newest last. */
  readonly requests: Json[];
  /** The next ceremony ends with an error of this name. */
  failWith(name: string): void;
  /** Restores the globals. */
  remove(): void;
}

const names = ['PublicKeyCredential', 'navigator', 'document'] as const;

export function browserPasskeys(authenticator: SoftwareAuthenticator): BrowserPasskeys {
  const requests: Json[] = [];
  const before = names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  let failure: string | undefined;

  function runCeremony(options: Json, make: (publicKey: never) => object) {
    requests.push(options);
    const name = failure;
    failure = undefined;
    if (name) throw Object.assign(new Error('the browser refused'), { name });
    return toCredential(make(toJson(options['publicKey']) as never) as Json);
  }

  const credentials = {
    create: async (options: Json) => runCeremony(options, (publicKey) => authenticator.create(publicKey)),
    get: async (options: Json) => runCeremony(options, (publicKey) => authenticator.get(publicKey)),
  };
  const globals = {
    PublicKeyCredential: class {
      static isConditionalMediationAvailable = async () => true;
    },
    navigator: { credentials },
    document: { querySelectorAll: () => [] },
  };
  for (const name of names) {
    Object.defineProperty(globalThis, name, { value: globals[name], configurable: true, writable: true });
  }
  return {
    requests,
    failWith: (name) => (failure = name),
    remove() {
      for (const [name, descriptor] of before) {
        if (descriptor) Object.defineProperty(globalThis, name, descriptor);
        else delete (globalThis as Json)[name];
      }
    },
  };
}

const isBuffer = (value: unknown): value is ArrayBuffer =>
  Object.prototype.toString.call(value) === '[object ArrayBuffer]';

function toJson(value: unknown): unknown {
  if (isBuffer(value)) return Buffer.from(value).toString('base64url');
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer).toString('base64url');
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toJson(field)]));
}

function toCredential({ id, type, authenticatorAttachment, response }: Json) {
  const { transports, ...binary } = response as Json;
  const buffers = Object.entries(binary)
    .filter(([, value]) => typeof value === 'string')
    .map(([name, value]) => [name, toBuffer(value as string)]);
  return {
    ...{ id, type, authenticatorAttachment, rawId: toBuffer(id as string) },
    response: { ...(Object.fromEntries(buffers) as Json), getTransports: () => transports },
    getClientExtensionResults: () => ({}),
  };
}

function toBuffer(text: string): ArrayBuffer {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
}
