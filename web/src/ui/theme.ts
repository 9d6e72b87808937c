import { createTheme, type MantineColorsTuple } from '@mantine/core';
import type { KeyboardEvent } from 'react';

/** The blue of the diagrams (paint/palette.ts): what had to be. Shade 7 has 4.5:1 on white, shade 4 on dark. */
const blue: MantineColorsTuple = [
  '#e8f3fa', '#cfe4f2', '#a3cbe6', '#74b1da', '#4e9bd0', '#2f88c5', '#0f77b6', '#0067a1', '#005687', '#00446c',
]; // prettier-ignore

/** Shade 7, of buttons that destroy, has 4.5:1 under white text. */
const red: MantineColorsTuple = [
  '#fff5f5', '#ffe3e3', '#ffc9c9', '#ffa8a8', '#ff8787', '#ff6b6b', '#f03e3e', '#c92a2a', '#b02525', '#8f1d1d',
]; // prettier-ignore

/** Enter takes the option that is marked. It never submits the form around the field, also where there is no such option. */
const keepEnter = (pressed: KeyboardEvent) => {
  if (pressed.key === 'Enter') pressed.preventDefault();
};

/** What every page looks like. */
export const theme = createTheme({
  colors: { blue, red },
  primaryColor: 'blue',
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  defaultRadius: 'sm',
  fontFamily: 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace',
  headings: { fontWeight: '600' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // What is done most often, or what a page is for, is filled.
    Button: { defaultProps: { variant: 'default' } },
    Badge: { defaultProps: { variant: 'outline', tt: 'none' } },
    Select: { defaultProps: { allowDeselect: false, onKeyDown: keepEnter } },
    MultiSelect: { defaultProps: { onKeyDown: keepEnter } },
    // A header element in a dialogue would be the page's second banner.
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    ModalHeader: { defaultProps: { role: 'none' } },
    // What is wider than its place shows so by its bar, also where nothing hovers.
    ScrollArea: { defaultProps: { type: 'auto' } },
  },
});
