import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import createClient, { type Client } from 'openapi-fetch';

import type { components, paths } from '../../src/contract/api';

export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

const WINDLULL = fileURLToPath(new URL('../../../.venv/bin/windlull', import.meta.url));

/** How long something may take that takes a moment on an idle machine. */
export const PATIENCE_MS = 110_000;

/** The same, as `expect.poll` takes it. */
export const PATIENCE = { timeout: PATIENCE_MS };

/** How long a service may take to end before it is killed: its own rules give its processes 25 s. */
const ENDING_MS = 40_000;

export interface Given {
  /** A token that clients must show; `'own'` lets the service make its own. Without one it asks for none. */
  readonly token?: string;
  /** Processes that simulate. */
  readonly workers?: number;
  /** Where its emulator serves HTTP. */
  readonly emulator?: string;
  /** Where kernels of their own are, if not where they are built. */
  readonly kernels?: string;
}

/** The API of a service, as a program would ask it. */
export function apiOf(baseUrl: string, token?: string): Client<paths> {
  return createClient<paths>({
    baseUrl,
    ...(token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } }),
  });
}

/** A real controller with the real engine and the built pages, on a free port and a data directory of its own. */
export class Service {
  readonly #given: Given;
  #data = '';
  #process: ChildProcess | null = null;
  #log = '';
  #said = '';
  #port = 0;

  /** One that is still to begin. */
  constructor(given: Given = {}) {
    this.#given = given;
  }

  static async start(given: Given = {}): Promise<Service> {
    const service = new Service(given);
    try {
      await service.begin();
    } catch (error) {
      await service.end();
      throw error;
    }
    return service;
  }

  /** A directory of its own; the service's data are in `data` there. */
  get data(): string {
    return this.#data;
  }

  /** Where the pages are, without a slash at the end. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The API, as a program would ask it. */
  get api(): Client<paths> {
    const { token } = this.#given;
    return apiOf(
      this.url,
      token === 'own' ? readFileSync(join(this.#data, 'data', 'token'), 'utf8').trim() : token,
    );
  }

  /** The address of one login that it printed. */
  get login(): string {
    const found = /^Log in, once and within 10 minutes: (\S+)$/m.exec(this.#said);
    if (!found?.[1]) throw new Error(`no address for a login in:\n${this.#said}`);
    return found[1];
  }

  /** Starts it, again where it was if it was killed; it answers when this is done. */
  async begin(): Promise<void> {
    const { token, workers = 2, emulator, kernels } = this.#given;
    if (this.#data === '') this.#data = mkdtempSync(join(tmpdir(), 'windlull-app-'));
    const given = [
      '--data',
      join(this.#data, 'data'),
      '--port',
      String(this.#port),
      '--workers',
      String(workers),
    ];
    if (emulator !== undefined) given.push('--emulator', emulator);
    if (token === undefined) given.push('--no-token');
    else if (token !== 'own') {
      const file = join(this.#data, 'token');
      writeFileSync(file, token, { mode: 0o600 });
      given.push('--token-file', file);
    }
    this.#log = '';
    const child = spawn(WINDLULL, ['serve', ...given], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...(kernels === undefined ? {} : { WINDLULL_KERNELS: kernels }) },
    });
    this.#process = child;
    process.once('exit', () => child.kill('SIGKILL'));
    const port = await new Promise<number>((resolve, reject) => {
      this.#said = '';
      child.stderr
        .setEncoding('utf8')
        .on('data', (text: string) => (this.#log = (this.#log + text).slice(-8000)));
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        this.#said += text;
        const found = /^Windlull is at http:\/\/127\.0\.0\.1:(\d+)\/$/m.exec(this.#said);
        const whole = token !== 'own' || this.#said.includes('The token for programs');
        if (found && whole) resolve(Number(found[1]));
      });
      child.once('error', reject);
      child.once('exit', (code) => {
        reject(new Error(`the service ended with ${code} and said:\n${this.#said}${this.#log}`));
      });
    });
    this.#port = port;
  }

  /** Kills it as a lost machine would: nothing is said, nothing is put in order. Its port is free when this is done. */
  async kill(): Promise<void> {
    await this.#gone('SIGKILL');
    // Its processes end by themselves when it is gone; until then the port is theirs.
    await until('the port is free', async () => {
      const answered = await fetch(`${this.url}/api/v1/health/live`).then(
        () => true,
        () => false,
      );
      return answered ? null : true;
    });
  }

  /** Ends it and removes all that it wrote. */
  async end(): Promise<void> {
    await this.#gone('SIGTERM');
    rmSync(this.#data, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
  }

  async #gone(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), ENDING_MS);
    await ended;
    clearTimeout(timer);
  }

  /** Queues an experiment; returns the number of its batch. */
  async submit(given: Schema<'BatchGiven'>): Promise<number> {
    const { data, error } = await this.api.POST('/api/v1/batches', { body: given });
    if (!data) throw new Error(JSON.stringify(error));
    return data.id;
  }

  /** Waits until nothing more comes of a batch; returns its runs in order. */
  async ended(batch: number): Promise<Schema<'RunLine'>[]> {
    await until(`batch ${batch} ends`, async () => {
      const { data } = await this.api.GET('/api/v1/batches/{id}', { params: { path: { id: batch } } });
      return data?.state === 'ended' ? data : null;
    });
    return this.runs(batch);
  }

  /** The runs of a batch, in the order of its plan. */
  async runs(batch: number): Promise<Schema<'RunLine'>[]> {
    const { data } = await this.api.GET('/api/v1/runs', { params: { query: { batch, limit: 500 } } });
    return [...(data?.items ?? [])].sort((a, b) => a.place - b.place);
  }

  /** Writes a document of the user's own. */
  async write(
    kind: 'links' | 'variants' | 'workloads' | 'experiments',
    name: string,
    toml: string,
  ): Promise<void> {
    const { error } = await this.api.POST(`/api/v1/${kind}`, { body: { name, toml } });
    if (error) throw new Error(JSON.stringify(error));
  }
}

/** Asks until there is an answer; for what tells nobody that it happened. */
export async function until<T>(what: string, ask: () => Promise<T | null>): Promise<T> {
  const giveUp = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (Date.now() > giveUp) throw new Error(`waited in vain until ${what}`);
    await pause(100);
  }
}
