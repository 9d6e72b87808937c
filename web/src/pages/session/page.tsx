import { Button, Code, PasswordInput, Paper, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type SyntheticEvent } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';

import { api } from '../../api/client';
import { ApiFailure } from '../../api/failure';
import { Asked, Empty, sentence } from '../../ui/asked';
import { to } from '../../ui/links';
import { Muted, Wrong } from '../../ui/text';
import { Page } from '../../ui/page';
import { safeBack } from './back';
import { loginCode } from './login';

/**
 * Asks for the token of a service, and goes back to where one was. The address that the service printed has the code of
 * one login behind its `#`: it is given for the token, and does not stay in the address bar.
 */
export function Component() {
  const [params] = useSearchParams();
  const back = safeBack(params.get('back'), location.origin);
  const session = api.useQuery('get', '/api/v1/session');
  return (
    <Page title="Token">
      <Asked
        query={session}
        failed="The service could not be asked"
        what="whether a token is needed"
        rows={2}
      >
        {({ required }) =>
          required ? (
            <Form back={back} />
          ) : (
            <Empty
              title="No token is needed"
              go={[back === to.home ? 'Go to the home page' : 'Back to where you were', back]}
            >
              This service was started with “--no-token”: it accepts requests from everybody on its machine.
            </Empty>
          )
        }
      </Asked>
    </Page>
  );
}

function Form({ back }: { readonly back: string }) {
  const [token, setToken] = useState('');
  const [empty, setEmpty] = useState(false);
  const navigate = useNavigate();
  const { hash, pathname, search } = useLocation();
  const queries = useQueryClient();
  const begin = api.useMutation('post', '/api/v1/session', {
    onSuccess: () => {
      // What was refused before the token is asked for anew where one goes back to.
      queries.clear();
      void navigate(back, { replace: true });
    },
  });
  const { mutate } = begin;
  useEffect(() => {
    const code = loginCode(hash);
    if (code === null) return;
    void navigate(pathname + search, { replace: true });
    mutate({ body: { code } });
  }, [hash, pathname, search, navigate, mutate]);
  const wrong = begin.error instanceof ApiFailure && begin.error.code === 'wrong-token';
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const given = token.trim();
    setEmpty(given === '');
    if (given !== '') begin.mutate({ body: { token: given } });
  };
  const problem = empty ? 'Enter the token.' : wrong ? 'The token is wrong.' : null;
  return (
    <Paper withBorder p="lg" maw={520}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text>
            This service requires an access token. “windlull serve” prints an address that logs a browser in
            once, and the name of the file that holds the token. In the appliance, this command prints it:
          </Text>
          <Code block>docker compose exec controller cat /run/windlull/token/token</Code>
          <PasswordInput
            label="Token"
            name="token"
            autoComplete="current-password"
            autoFocus
            value={token}
            error={problem}
            onChange={(event) => {
              setToken(event.currentTarget.value);
              setEmpty(false);
              begin.reset();
            }}
            visibilityToggleButtonProps={{ 'aria-label': 'Show the token' }}
          />
          {begin.isError && !wrong && <Wrong role="alert">{sentence(begin.error)}</Wrong>}
          <Button
            type="submit"
            loading={begin.isPending}
            style={{ alignSelf: 'flex-start' }}
            variant="filled"
          >
            Log in
          </Button>
          <Muted>
            The token is sent once; this browser then keeps a cookie for 30 days that scripts cannot read.
          </Muted>
        </Stack>
      </form>
    </Paper>
  );
}
