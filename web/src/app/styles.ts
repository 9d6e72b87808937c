// In this order: ours win over the library's.
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '../lib/score.css';
import '../ui/ui.css';
