/** The site of a client that publishes its metadata, on this computer, under a name that no public resolver knows. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DocumentNetwork } from '../../src/core/internals.js';

/** The key protects nothing. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg/dfTnHQucuvGsmsM
k5CfUqx+i4Lx1yQOuN0HVHhp5cShRANCAASBOKP6CEMwy+PdwQb95DKA4J40dLf7
VNZmdRijL/T1PMSM2d/GL2I+g/tRL8nTpvNmIxXRJ3DH1W1JjIMxZ6e4
-----END PRIVATE KEY-----`;

/** Of `client.test` and its subdomains, by itself. */
export const documentAuthority = `-----BEGIN CERTIFICATE-----
MIIBdzCCARygAwIBAgIBATAKBggqhkjOPQQDAjAWMRQwEgYDVQQDDAtjbGllbnQu
dGVzdDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFjEUMBIGA1UE
AwwLY2xpZW50LnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASBOKP6CEMw
y+PdwQb95DKA4J40dLf7VNZmdRijL/T1PMSM2d/GL2I+g/tRL8nTpvNmIxXRJ3DH
1W1JjIMxZ6e4o1kwVzAPBgNVHRMBAf8EBTADAQH/MCUGA1UdEQQeMByCC2NsaWVu
dC50ZXN0gg0qLmNsaWVudC50ZXN0MB0GA1UdDgQWBBTNHr4QZ2CG/+PgtxA803Om
GpemZzAKBggqhkjOPQQDAgNJADBGAiEA1CAX09/kmWPpkrSD0PLSyWTQNlKqbCNs
qh9YdiUOB1sCIQCgDwWjEiMbZzNmHALsm5Y8JDJFw0+DNx7DFmO5yawZEw==
-----END CERTIFICATE-----`;

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

export interface DocumentSite {
  port: number;
  /** The requests so far, by their paths. */
  requests: string[];
  /** `https://client.test:<port>` */
  origin: string;
  /** Leads every name to this computer. */
  network: DocumentNetwork;
  /** Answers the next requests. */
  answer(handler: Handler): void;
  /** Publishes JSON at every path. */
  publish(document: Record<string, unknown>, headers?: Record<string, string>): void;
  close(): Promise<void>;
}

/** @param address of this computer. */
export async function openDocumentSite(address = '127.0.0.1'): Promise<DocumentSite> {
  const requests: string[] = [];
  let handler: Handler = (_req, res) => res.writeHead(404).end();
  const server = createServer({ key, cert: documentAuthority }, (req, res) => {
    requests.push(req.url!);
    handler(req, res);
  });
  server.listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    ...{ port, requests, origin: `https://client.test:${port}` },
    network: {
      resolve: () => Promise.resolve([{ address, family: 4 }]),
      isAllowed: (each) => each === address,
      ca: documentAuthority,
    },
    answer: (next) => void (handler = next),
    publish(document, headers = {}) {
      handler = (_req, res) => {
        res.writeHead(200, { 'content-type': 'application/json', ...headers });
        res.end(JSON.stringify(document));
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
