import { describe, expect, it } from 'vitest';

import { isForPage } from './letters';

/** A press in an element that has one of these around it. */
const press = (...around: readonly string[]) => {
  const closest = (wanted: string) => wanted.split(', ').find((one) => around.includes(one)) ?? null;
  return {
    key: 'g',
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    defaultPrevented: false,
    isComposing: false,
    target: { closest } as unknown as EventTarget,
  };
};

describe('a letter', () => {
  it('is for the page if nothing takes letters there', () => {
    expect(isForPage(press('main', 'button'))).toBe(true);
    expect(isForPage({ ...press(), target: null })).toBe(true);
  });

  it('is left to others if it has a modifier or was taken', () => {
    for (const field of ['ctrlKey', 'metaKey', 'altKey', 'defaultPrevented', 'isComposing']) {
      expect(isForPage({ ...press('main'), [field]: true })).toBe(false);
    }
  });

  it('is left to fields, lists, menus and dialogues', () => {
    for (const one of [
      'input',
      'textarea',
      'select',
      '[role="listbox"]',
      '[role="menu"]',
      '[role="dialog"]',
    ]) {
      expect(isForPage(press('main', one))).toBe(false);
    }
  });
});
