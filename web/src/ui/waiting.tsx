import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';

/** What stands where an answer is awaited; `what` says so to those who cannot see it. */
export function Waiting({ what, rows = 4 }: { readonly what: string; readonly rows?: number }) {
  return (
    <Stack gap="xs" role="status" aria-busy>
      <VisuallyHidden>Reading {what} …</VisuallyHidden>
      {Array.from({ length: rows }, (_, i) => (
        <Skeleton key={i} height={22} aria-hidden />
      ))}
    </Stack>
  );
}
