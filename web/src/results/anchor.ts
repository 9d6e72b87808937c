/** Where an experiment stands in the page. */
export function anchorOf(name: string): string {
  return name.replace(/^papers\//, '').replaceAll('/', '-');
}
