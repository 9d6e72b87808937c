import { useEffect, useState } from 'react';

import type { ScriptEvent } from '../../link/script';
import { recall, remember } from '../../lib/stored';

/** The steps of the guided experiment, in their order. */
export const STEPS = ['draw', 'run', 'watch', 'understand', 'compare'] as const;
export type Step = (typeof STEPS)[number];

/** How far someone is. All of it is JSON, kept in this browser. */
export interface Progress {
  readonly events: readonly ScriptEvent[];
  /** The batch of their experiment. */
  readonly batch: number | null;
  /** Whether its runs have ended. */
  readonly ended: boolean;
  /** Whether they opened the run, and the comparison. */
  readonly opened: boolean;
  readonly compared: boolean;
}

export const BEGINNING: Progress = { events: [], batch: null, ended: false, opened: false, compared: false };

const KEY = 'windlull-welcome';

/** Whether a step is behind someone. */
export function isDone(step: Step, progress: Progress): boolean {
  switch (step) {
    case 'draw':
      return progress.batch !== null || progress.events.length > 0;
    case 'run':
      return progress.batch !== null;
    case 'watch':
      return progress.ended;
    case 'understand':
      return progress.opened;
    case 'compare':
      return progress.compared;
  }
}

/** Whether a step can be taken: all that it needs is done. The last two are free once there are results. */
export function isOpen(step: Step, progress: Progress): boolean {
  const needs: Readonly<Record<Step, Step | null>> = {
    draw: null,
    run: 'draw',
    watch: 'run',
    understand: 'watch',
    compare: 'watch',
  };
  const needed = needs[step];
  return needed === null || isDone(needed, progress);
}

/** Where someone goes on: the first step that is not done. */
export function nextStep(progress: Progress): Step {
  return STEPS.find((step) => !isDone(step, progress)) ?? 'compare';
}

/** The progress of this browser, kept when the page is left. */
export function useProgress(): readonly [Progress, (changes: Partial<Progress>) => void] {
  const [progress, setProgress] = useState<Progress>(() => readProgress(recall(KEY)));
  useEffect(() => {
    remember(KEY, JSON.stringify(progress));
  }, [progress]);
  return [progress, (changes) => setProgress((old) => ({ ...old, ...changes }))];
}

/** What was kept; the beginning if that is nothing, or nothing of ours. */
export function readProgress(text: string | null): Progress {
  try {
    const stored: unknown = JSON.parse(text ?? 'null');
    return typeof stored === 'object' && stored !== null ? { ...BEGINNING, ...stored } : BEGINNING;
  } catch {
    return BEGINNING;
  }
}
