import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';

import { client, type Schema } from '../../api/client';
import { useCreationKeys } from '../../api/creation-key';

/** What became of a capsule that was brought. */
export type Upload =
  | { readonly file: File; readonly state: 'sending' }
  | { readonly file: File; readonly state: 'kept'; readonly batch: Schema<'BatchTold'> }
  | { readonly file: File; readonly state: 'refused'; readonly error: unknown };

interface Uploads {
  readonly uploads: readonly Upload[];
  readonly send: (files: readonly File[]) => void;
  readonly forget: (file: File) => void;
}

/** Sends capsules, one after the other. A file that is sent again after a failure has the key of its first try. */
export function useUpload(): Uploads {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const queries = useQueryClient();
  const keys = useCreationKeys();
  const before = useRef(Promise.resolve());
  const put = (upload: Upload) => {
    setUploads((old) =>
      old.some(({ file }) => file === upload.file)
        ? old.map((one) => (one.file === upload.file ? upload : one))
        : [...old, upload],
    );
  };
  const sendOne = async (file: File) => {
    const asked = [file.name, file.size, file.lastModified];
    try {
      const { data } = await client.POST('/api/v1/capsules', {
        params: { header: { 'Idempotency-Key': keys.keyOf(asked) } },
        headers: { 'Content-Type': 'application/zip' },
        // The document has text for what is a file: it has no word for octets.
        body: file as unknown as string,
        bodySerializer: (body: unknown) => body as File,
      });
      keys.done(asked);
      if (data) put({ file, state: 'kept', batch: data });
      void queries.invalidateQueries({ queryKey: ['get', '/api/v1/batches'] });
    } catch (error) {
      put({ file, state: 'refused', error });
    }
  };
  const send = (files: readonly File[]) => {
    // What was refused before has been read by now.
    if (files.length > 0) setUploads((old) => old.filter(({ state }) => state !== 'refused'));
    for (const file of files) {
      put({ file, state: 'sending' });
      before.current = before.current.then(() => sendOne(file));
    }
  };
  const forget = (file: File) => setUploads((old) => old.filter((one) => one.file !== file));
  return { uploads, send, forget };
}
