import { Box, Stack, Text } from '@mantine/core';

import { useFlows } from '../../../api/flows';
import { Asked } from '../../../ui/asked';
import { WhichFlow } from './about-flow';
import { FlowFigures } from './flow-figures';
import './library.css';

/** What one flow gets through a link, on the page of the link. */
export function OneFlow({ link }: { readonly link: string }) {
  return (
    <Asked query={useFlows()} failed="What was measured could not be read" what="what was measured" rows={2}>
      {(flows) => (
        <Stack gap="xs">
          <Text size="sm" maw="80ch">
            <WhichFlow of={flows} />
          </Text>
          <Box maw="18rem">
            <FlowFigures link={link} flow={flows.items.find((flow) => flow.link === link)} />
          </Box>
        </Stack>
      )}
    </Asked>
  );
}
