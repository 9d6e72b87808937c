import { Spotlight, spotlight } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from 'react-router';

import { PLACES } from './navigation';

/** Opens the command palette. */
export const openPalette = (): void => {
  spotlight.open();
};

/** All pages and actions by name: Ctrl K. */
export function Palette() {
  const navigate = useNavigate();
  return (
    <Spotlight
      shortcut={['mod + K']}
      highlightQuery
      scrollable
      maxHeight={420}
      nothingFound="Nothing of that name"
      searchProps={{
        leftSection: <IconSearch size={18} aria-hidden />,
        placeholder: 'A page or an action',
        'aria-label': 'A page or an action',
      }}
      actions={PLACES.map((place) => ({
        id: place.to,
        label: place.label,
        leftSection: <place.icon size={18} stroke={1.6} aria-hidden />,
        onClick: () => void navigate(place.to),
      }))}
    />
  );
}
