import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { RouterProvider } from 'react-router';

import { ApiProvider } from '../api/provider';
import { theme } from '../ui/theme';
import { router } from './routes';
import './styles';

const colors = localStorageColorSchemeManager({ key: 'windlull-theme' });

/** The web control plane. */
function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" colorSchemeManager={colors}>
      <ApiProvider>
        <ModalsProvider>
          <Notifications position="bottom-right" />
          <RouterProvider router={router} />
        </ModalsProvider>
      </ApiProvider>
    </MantineProvider>
  );
}

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no #root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
