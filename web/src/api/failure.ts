import type { Schema } from '../contract/types';
import { isRecord } from '../lib/json';

/** One thing that is wrong, and where, as far as it is known. */
export type Problem = Readonly<Schema<'Problem'>>;

interface Facts {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly problems: readonly Problem[];
  readonly cause?: unknown;
}

/** What the controller refused or could not do; `status` is 0 if it did not answer at all. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly code: string;
  readonly problems: readonly Problem[];

  constructor({ status, code, message, problems, cause }: Facts) {
    super(message, { cause });
    this.name = 'ApiFailure';
    this.status = status;
    this.code = code;
    this.problems = problems;
  }
}

/** Whether the answer is that there is no such thing. */
export function isMissing(failure: unknown): boolean {
  return failure instanceof ApiFailure && failure.status === 404;
}

/** Reads the API's one shape of errors (docs/api.md); what has another shape comes from something in between. */
export async function failureOf(response: Response): Promise<ApiFailure> {
  const { status } = response;
  const body: unknown = await response.json().catch(() => null);
  if (isRecord(body) && isRecord(body['error'])) {
    const { code, message, problems } = body['error'];
    if (typeof code === 'string' && typeof message === 'string') {
      return new ApiFailure({
        status,
        code,
        message,
        problems: Array.isArray(problems) ? problems.filter(isProblem) : [],
      });
    }
  }
  return new ApiFailure({
    status,
    code: 'unknown',
    message: `the answer has status ${status} and is not the controller’s`,
    problems: [],
  });
}

function isProblem(value: unknown): value is Problem {
  return isRecord(value) && typeof value['message'] === 'string';
}
