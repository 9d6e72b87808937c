import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';

import { Prose } from './text';

const shown = (text: string) => renderToStaticMarkup(<Prose text={text} />);

describe('a sentence with commands', () => {
  it('has them as code, where they begin, end or stand in it', () => {
    expect(shown('`make kernel`, or `modprobe sch_netem` as root')).toBe(
      '<code>make kernel</code>, or <code>modprobe sch_netem</code> as root',
    );
    expect(shown('see `windlull check`')).toBe('see <code>windlull check</code>');
  });

  it('stays as it is without any, and with a backtick alone', () => {
    expect(shown('no such file')).toBe('no such file');
    expect(shown('a ` alone')).toBe('a ` alone');
  });
});
