import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import { askEarly } from '../series/early';
import { App } from './app';
import './styles';

askEarly(location.pathname, fetch);

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no #root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
