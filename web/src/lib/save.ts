/** Hands something over as a file of that name. */
export function saveFile(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  // The browser reads the address when the click has been handled.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
