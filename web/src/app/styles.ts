// In this order: ours win over the library's.
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '../lib/colors.css';
import '../results/results.css';
import '../ui/ui.css';
