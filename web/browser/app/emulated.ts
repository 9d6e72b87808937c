import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const ENGINE = here('../../../target/release/windlull-engine');
const PROFILES = here('../../../profiles');

/** The engine's own emulator between two hosts, one of which sends all the time; in a network namespace of its own. */
export class Emulated {
  readonly #processes: ChildProcess[] = [];
  readonly #directory = mkdtempSync(join(tmpdir(), 'windlull-emulated-'));
  #url = '';

  /** Where it serves HTTP, for this machine's loopback. */
  get url(): string {
    return this.#url;
  }

  /** Starts it; it answers when this is done. */
  async begin(): Promise<void> {
    const process = this.#start('unshare', [
      '--user',
      '--map-root-user',
      '--net',
      here('emulated.sh'),
      ENGINE,
      PROFILES,
      join(this.#directory, 'state'),
    ]);
    await said(process, /"event":"started"/, 'stderr');
    const socket = join(this.#directory, 'http.sock');
    const enter = ['--target', String(process.pid), '--user', '--net', '--preserve-credentials'];
    const relay = here('relay.mjs');
    await said(this.#start('nsenter', [...enter, 'node', relay, socket, '7411']), /http\.sock\n/);
    const [port = ''] = await said(this.#start('node', [relay, '0', socket]), /\d+(?=\n)/);
    this.#url = `http://127.0.0.1:${port}`;
  }

  /** Ends it and all that it started. */
  async end(): Promise<void> {
    await Promise.all(this.#processes.map(gone));
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #start(command: string, words: readonly string[]): ChildProcess {
    // A process group of its own, so that all of it ends.
    const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    this.#processes.push(child);
    process.once('exit', () => {
      kill(child);
    });
    return child;
  }
}

/** Waits until a process has said something; throws if it ends before that. */
function said(
  child: ChildProcess,
  what: RegExp,
  where: 'stdout' | 'stderr' = 'stdout',
): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const output = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream]?.setEncoding('utf8').on('data', (text: string) => {
        output[stream] = (output[stream] + text).slice(-8000);
        const found = what.exec(output[where]);
        if (found) resolve(found);
      });
    }
    child.once('error', reject);
    child.once('exit', (code) => {
      reject(new Error(`${child.spawnfile} ended with ${code} and said:\n${output.stdout}${output.stderr}`));
    });
  });
}

async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  kill(child);
  await ended;
}

function kill({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
