// Outlives the process that started PostgreSQL and stops the server when that process ends for any reason. Its standard
// input is a pipe from that process.
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const [pid, folder] = [Number(process.argv[2]), process.argv[3]];

function signal(name) {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

process.stdin.resume().on('end', async () => {
  signal('SIGINT');
  for (let tries = 0; tries < 100 && signal(0); tries++) await sleep(100);
  signal('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});
