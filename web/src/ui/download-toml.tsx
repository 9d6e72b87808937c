import { IconDownload } from '@tabler/icons-react';
import type { ComponentProps } from 'react';

import { saveFile } from '../lib/save';
import { SignButton } from './buttons';

interface Props extends ComponentProps<typeof SignButton> {
  readonly toml: string;
  /** What the file is called. */
  readonly file: string;
}

/** Gives a text as a file. */
export function DownloadToml({ toml, file, ...button }: Props) {
  return (
    <SignButton
      sign={IconDownload}
      onClick={() => saveFile(new Blob([toml], { type: 'application/toml' }), file)}
      {...button}
    >
      Download TOML
    </SignButton>
  );
}
