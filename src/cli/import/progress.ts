/** Shows the progress of an import: a bar at a terminal, otherwise a line every ten seconds. */
import cliProgress from 'cli-progress';
import type { Terminal } from '../terminal.js';

const everyMs = 10_000;

export interface Progress {
  update: (done: number) => void;
  end: () => void;
}

/** @param total users. Null if it is not known. */
export function showProgress({ errors }: Terminal, title: string, total: number | null): Progress {
  const startedAt = performance.now();
  const rateOf = (done: number) => Math.round((done / Math.max(1, performance.now() - startedAt)) * 1000);
  if (errors.isTTY !== true) return lines(errors, title, total, rateOf);
  const known = total === null ? '{value} users' : '{bar} {percentage}% | {value} of {total} users';
  const bar = new cliProgress.SingleBar(
    {
      format: `${title} ${known} | {rate}/s${total === null ? '' : ' | {eta_formatted} left'}`,
      stream: errors,
      hideCursor: true,
      clearOnComplete: true,
      fps: 5,
      // Ends with the import, which continues until its batch is stored.
      gracefulExit: false,
      etaAsynchronousUpdate: false,
    },
    cliProgress.Presets.shades_classic,
  );
  bar.start(total ?? 0, 0, { rate: 0 });
  return { update: (done) => bar.update(done, { rate: rateOf(done) }), end: () => bar.stop() };
}

function lines(
  errors: Terminal['errors'],
  title: string,
  total: number | null,
  rateOf: (done: number) => number,
): Progress {
  let shownAt = performance.now();
  return {
    update(done) {
      if (performance.now() - shownAt < everyMs) return;
      shownAt = performance.now();
      const rate = rateOf(done);
      const left = total === null || rate === 0 ? '' : `, ${Math.ceil((total - done) / rate)} s left`;
      errors.write(`${title} ${done}${total === null ? '' : ` of ${total}`} users, ${rate}/s${left}\n`);
    },
    end: () => undefined,
  };
}
