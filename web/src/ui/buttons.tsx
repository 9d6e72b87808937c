import { Anchor, Button, type AnchorProps, type ButtonProps } from '@mantine/core';
import { IconDownload, type Icon } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { Link } from 'react-router';

type Of<Tag extends 'a' | 'button', Library> = Library & Omit<ComponentProps<Tag>, keyof Library | 'href'>;

interface Sign {
  readonly sign?: Icon;
}

const SIZES: Readonly<Record<string, number>> = { xs: 14, sm: 14, md: 18 };

const signOf = (Sign: Icon | undefined, size: unknown) =>
  Sign && <Sign size={SIZES[String(size)] ?? 16} aria-hidden />;

/** A button with a sign before its words. */
export function SignButton({ sign, ...props }: Of<'button', ButtonProps> & Sign) {
  return <Button leftSection={signOf(sign, props.size)} {...props} />;
}

/** A way to a page of ours that looks as a button does. */
export function LinkButton({ sign, ...props }: Of<'a', ButtonProps> & Sign & { readonly to: string }) {
  return <Button component={Link} leftSection={signOf(sign, props.size)} {...props} />;
}

/** A small button that gives a file. */
export function DownloadButton(props: Of<'a', ButtonProps> & { readonly href: string }) {
  return <Button component="a" size="xs" leftSection={signOf(IconDownload, 'xs')} {...props} />;
}

/** A way to a page of ours, within a text. */
export function TextLink(props: Of<'a', AnchorProps> & { readonly to: string }) {
  return <Anchor component={Link} size="sm" {...props} />;
}
