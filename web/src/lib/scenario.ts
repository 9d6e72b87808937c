/**
 * The scenario of the QUIC network simulator that a text is, with single blanks: `simple-p2p --delay=15ms --queue=25`. It
 * stands wherever the name of a link may (docs/shell.md). The name of a document has no blanks, so that this tells them
 * apart; which scenarios there are, and with which options, the engine knows. Null if the text is none.
 */
export function scenarioIn(text: string): string | null {
  const words = text.trim().split(/\s+/);
  return /^[a-z][a-z0-9-]*$/.test(words[0]) && words.at(1)?.startsWith('--') === true
    ? words.join(' ')
    : null;
}

export const isScenario = (name: string): boolean => scenarioIn(name) !== null;
