/** Sends ordinary requests with supertest: with the headers that an HTTP library adds, without following redirects. */
import { Agent } from 'node:http';
import supertest, { type Response } from 'supertest';
import { toHttpResponse, type HttpClient } from './http-client.js';

const timeoutMs = 60_000;

export function supertestClient(port: number): HttpClient {
  const agent = new Agent({ keepAlive: true });
  const client = supertest(`http://127.0.0.1:${port}`);
  return {
    close: () => agent.destroy(),
    async send({ method, path, headers = {}, body }) {
      const request = client[method.toLowerCase() as 'get' | 'post'](path)
        .agent(agent)
        .timeout(timeoutMs)
        .buffer(true)
        .parse(readText);
      for (const [name, value] of Object.entries(headers)) void request.set(name, value as string);
      // As a string: superagent would copy an object, and lose a key such as `__proto__`.
      if (body !== undefined) void request.type('application/json').send(JSON.stringify(body));
      const response = await request;
      return toHttpResponse(response.status, response.headers, String(response.body));
    },
  };
}

/** Keeps superagent from parsing the body, which is checked unparsed. */
function readText(response: Response, done: (error: Error | null, text: string) => void): void {
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => (text += chunk));
  response.on('error', (error) => done(error, ''));
  response.on('end', () => done(null, text));
}
