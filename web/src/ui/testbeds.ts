import type { Schema } from '../api/client';

export type Testbed = NonNullable<Schema<'BatchGiven'>['testbed']>;
export type Plane = NonNullable<Schema<'BatchGiven'>['plane']>;

/** Where runs can be made, as a choice of it says it. */
export const TESTBEDS: readonly {
  readonly value: Testbed;
  readonly label: string;
  readonly about: string;
}[] = [
  {
    value: 'sim',
    label: 'Simulated (sim)',
    about: 'Our TCP over our link in virtual time: fast, and the same byte for byte every time.',
  },
  {
    value: 'netns',
    label: 'Live (netns)',
    about:
      'Real time, in network namespaces: the kernel’s TCP and ours, with the same runs simulated beside them.',
  },
  {
    value: 'kernel',
    label: 'Kernels of their own (kernel)',
    about:
      'Linux kernels that run as programs, in virtual time: the kernel’s TCP, patched ones too, and ours, with the same runs simulated beside them.',
  },
  {
    value: 'compose',
    label: 'Between containers (compose)',
    about: 'Real time, between the containers of the appliance, with the same runs simulated beside them.',
  },
];

export function isTestbed(text: string): text is Testbed {
  return TESTBEDS.some(({ value }) => value === text);
}

/** The testbed of that name; what this page does not know is taken for simulated. */
export function testbedOf(text: string): Testbed {
  return isTestbed(text) ? text : 'sim';
}

/** Whether real kernels make its runs. */
export function hasKernel(testbed: string): boolean {
  return testbed !== 'sim';
}

/** Whether its runs take the time that they last, one after another. */
export function isLive(testbed: string): boolean {
  return testbed === 'netns' || testbed === 'compose';
}

/** The testbeds to choose from, given what works: containers only where there are some. */
export function offered(testbeds: Schema<'TestbedsView'> | undefined, chosen: string): typeof TESTBEDS {
  const works = (name: string) => testbeds?.testbeds.some((one) => one.name === name && one.works) === true;
  return TESTBEDS.filter(({ value }) => value !== 'compose' || value === chosen || works(value));
}
